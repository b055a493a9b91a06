import assert from "node:assert/strict";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { FakeClock } from "../../packages/hub/test/support/fake-clock.ts";
import { armed, denyAll, propose } from "./asking.ts";
import { openSignedIn, shot } from "./open-page.ts";

/** A profile's, unless it says otherwise. */
const EXPIRY_MS = 60_000;
/** Longer than what was settled stays in the list. */
const TIDY_MS = 5_000;

deepTest("no row moves while expired ones are shown: what is new goes to the end, and is gone to", async (t) => {
  const clock = new FakeClock();
  const opened = await openSignedIn(t, { clock });
  if (opened === undefined) return;
  const { page, server, complaints } = opened;
  const goOn = async (ms: number) => {
    await page.clock.setFixedTime(clock.wallMs() + ms);
    clock.advance(ms);
  };
  const outcomes: Promise<unknown>[] = [];
  const ask = (name: string) => {
    outcomes.push(propose(server, `touch ${name}`, { session: name }));
    return page.getByRole("link", { name: `touch ${name}` }).first();
  };
  const rows = page.getByRole("list", { name: "What waits" }).getByRole("listitem");
  /** Each command, and how far down it stands on the screen. */
  const places = () =>
    rows.evaluateAll((all) =>
      all.map((row) => [row.querySelector(".what")?.textContent, row.getBoundingClientRect().top] as const),
    );
  const news = page.getByRole("button", { name: "1 new ↓" });
  const toTop = () => page.locator(".virtual-list").evaluate((list) => list.scrollTo(0, 0));

  await goOn(0);
  for (const name of ["old-1", "old-2", "old-3"]) await ask(name).waitFor();
  await goOn(EXPIRY_MS);
  await Promise.all(outcomes);
  for (const name of ["new-1", "new-2", "new-3"]) await ask(name).waitFor();
  await page.reload();
  await page.getByText("EXPIRED").nth(2).waitFor();
  // What waits and what has expired come by two ways.
  await rows.nth(5).waitFor();
  // What came right after connecting was there before.
  await armed(page);
  const before = await places();
  const [waiting, expired] = [before.slice(0, 3), before.slice(3)].map((some) => some.map(([command]) => command));
  assert.deepEqual(waiting, ["touch new-1", "touch new-2", "touch new-3"]);
  assert.deepEqual(expired?.sort(), ["touch old-1", "touch old-2", "touch old-3"]);

  // With the pointer among them.
  await rows.nth(3).hover();
  await ask("more-1").waitFor({ state: "attached" });
  assert.deepEqual((await places()).slice(0, before.length), before);
  assert.equal((await places()).at(-1)?.[0], "touch more-1");
  ask("more-2");
  await news.waitFor();
  assert.deepEqual((await places()).slice(0, before.length), before);
  await shot(page, "inbox-expired-new");
  await news.click();
  await news.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "touch more-2" }).waitFor();
  assert.equal((await places()).at(-1)?.[0], "touch more-2");

  // Another one takes the place of the one that was gone to: that is gone to as well.
  await toTop();
  const { body } = await server.api("GET", "/api/v1/approvals");
  const last = (body as { approvalId: string; command: string }[]).find(({ command }) => command === "touch more-2");
  await server.api("POST", `/api/v1/approvals/${last?.approvalId}/decision`, { decision: "deny" });
  await page.getByText("4 waiting ·").waitFor();
  await page.mouse.move(900, 400);
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await goOn(TIDY_MS);
  await page.getByRole("link", { name: "touch more-2" }).waitFor({ state: "detached" });
  ask("more-3");
  await news.click();
  await news.waitFor({ state: "detached" });
  const box = await page.getByRole("link", { name: "touch more-3" }).boundingBox();
  assert.ok(box !== null && box.y + box.height <= 800, "it is on screen");
  assert.deepEqual(complaints, []);
  await denyAll(server);
  await Promise.all(outcomes);
});
