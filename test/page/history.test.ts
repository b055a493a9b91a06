import assert from "node:assert/strict";
import { test } from "node:test";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { painted } from "./asking.ts";
import { openSignedIn, seriousViolations, shot } from "./open-page.ts";
import { agentOf, answered, someMorning } from "./past-fixture.ts";

test("the past at a desk", async (t) => {
  const opened = await openSignedIn(t, { at: "#/today" });
  if (opened === undefined) return;
  const { page, server, complaints } = opened;

  await t.test("today counts what each agent did where, and each count leads to what was counted", async () => {
    await page.getByText("Nothing ran yet today.").waitFor();
    // Nobody loads it anew: the hub tells when something has ended, also what nobody was asked about.
    await someMorning(server);
    await page.getByText("6 ran").first().waitFor();
    await page.getByText("3 asked").waitFor();
    const card = page.getByRole("listitem").filter({ hasText: "codex in api" });
    await card.getByRole("link", { name: "2", exact: true }).first().waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    const asking = (await agentOf(server, "codex")).propose("touch waits", "api");
    await page.getByText("4 asked").waitFor();
    await card.getByRole("definition").filter({ hasText: "3" }).waitFor();
    await answered(server, asking, { decision: "deny" });
    await page.getByText("3 denied").first().waitFor();
    await page.getByText("4 asked").waitFor();
    await card.getByRole("definition").filter({ hasText: "2" }).last().getByRole("link").click();
    const rows = page.getByRole("list", { name: "History" }).getByRole("listitem");
    await rows.nth(1).waitFor();
    await page.waitForURL(/agent=codex/);
    assert.deepEqual(complaints, []);
  });

  await t.test("the history is searched as one types, narrowed and opened; back finds it again", async () => {
    await page.goto("#/history");
    const rows = page.getByRole("list", { name: "History" }).getByRole("listitem");
    // What was found before stays until the answer is there.
    await rows.nth(8).waitFor();
    assert.equal(await rows.count(), 9);
    await shot(page, "history");
    assert.deepEqual(await seriousViolations(page), []);
    await page.keyboard.press("/");
    await page.keyboard.type("DIST");
    await rows.nth(1).waitFor({ state: "detached" });
    // By its text: where a line may be cut, `innerText` begins another.
    assert.match((await rows.first().textContent()) ?? "", /rm -rf dist[\s\S]*denied by/);
    await page.waitForURL(/text=DIST/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "denied" }).waitFor();
    await page.getByText("use npm run clean").first().waitFor();
    await page.getByText("Whole").waitFor();
    await shot(page, "story");
    assert.deepEqual(await seriousViolations(page), []);
    await page.emulateMedia({ colorScheme: "dark" });
    await shot(page, "story-dark");
    assert.deepEqual(await seriousViolations(page), []);
    await page.goBack();
    await page.getByRole("article", { name: "Story" }).waitFor({ state: "detached" });
    assert.equal(await page.getByRole("searchbox").inputValue(), "DIST");
    await page.getByRole("searchbox").fill("");
    await page.getByRole("radio", { name: "Failed" }).click();
    await rows.nth(1).waitFor({ state: "detached" });
    await page.getByRole("radio", { name: "All" }).click();
    await page.getByLabel("Agent", { exact: true }).selectOption("codex");
    await rows.nth(4).waitFor();
    await rows.nth(5).waitFor({ state: "detached" });
    assert.equal(await rows.count(), 5);
    await page.waitForURL(/agent=codex/);
    await page.getByLabel("Agent", { exact: true }).selectOption("Any agent");
    await page.getByLabel("Decided by").selectOption("By a person");
    await rows.nth(3).waitFor();
    await rows.nth(4).waitFor({ state: "detached" });
    await page.getByRole("searchbox").fill("no such thing");
    await page.getByText("No match.").waitFor();
    assert.deepEqual(complaints, []);
  });

  await t.test("what is opened while somebody still types stays open, and what was typed is looked for", async () => {
    await page.goto("#/history");
    await page.getByRole("list", { name: "History" }).getByRole("listitem").nth(8).waitFor();
    await page.evaluate(() => {
      const field = document.querySelector<HTMLInputElement>("#past-search");
      if (field === null) throw new Error("there's no field");
      field.value = "dist";
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      document.querySelector<HTMLElement>('[aria-label="History"] a')?.click();
    });
    await page.waitForURL(/#\/story\/.*text=dist/);
    await page.getByRole("article", { name: "Story" }).waitFor();
    await page.getByRole("list", { name: "History" }).getByRole("listitem").nth(1).waitFor({ state: "detached" });
  });

  await t.test("what an agent wrote is text: in the list and in the story", async () => {
    await page.emulateMedia({ colorScheme: "light" });
    const claude = await agentOf(server, "<b>claude</b>");
    const hostile = `echo '<img src=x onerror=alert(1)>' '\u202egnp.exe' '\u001b[31mred' '\u200b' ${"long ".repeat(20_000)}`;
    await answered(server, claude.propose(hostile), { decision: "deny" });
    await page.goto("#/history");
    await page.reload();
    const rows = page.getByRole("list", { name: "History" }).getByRole("listitem");
    await rows.first().click();
    await page.getByRole("heading", { name: "denied" }).waitFor();
    const command = page.getByRole("region", { name: "Command" });
    await command.getByText("<img src=x onerror=alert(1)>").waitFor();
    await command.getByText("U+202E").waitFor();
    await command.getByText("U+001B").waitFor();
    assert.equal(await page.locator("main img, main b").count(), 0);
    assert.deepEqual(complaints, []);
  });
});

deepTest("what is new is offered, and moves nothing until somebody wants it", async (t) => {
  const opened = await openSignedIn(t, { at: "#/history" });
  if (opened === undefined) return;
  const { page, server } = opened;
  const claude = await agentOf(server, "claude-code");
  await claude.propose("echo first");
  await page.reload();
  const rows = page.getByRole("list", { name: "History" }).getByRole("listitem");
  await rows.first().waitFor();
  await answered(server, claude.propose("touch second"), { decision: "allow-once" });
  const offer = page.getByRole("button", { name: "1 new ↑" });
  await offer.waitFor();
  assert.equal(await rows.count(), 1);
  await offer.click();
  await rows.nth(1).waitFor();
  assert.match((await rows.first().textContent()) ?? "", /touch second/);
  await offer.waitFor({ state: "detached" });
});

deepTest("hundreds are scrolled through with a bounded page, by keys alone, and a story keeps the place", async (t) => {
  const opened = await openSignedIn(t, { at: "#/history" });
  if (opened === undefined) return;
  const { page, server } = opened;
  const claude = await agentOf(server, "claude-code");
  await Promise.all(Array.from({ length: 60 }, (_, index) => claude.propose(`echo old-${index}`)));
  await claude.propose("echo middle");
  await Promise.all(Array.from({ length: 60 }, (_, index) => claude.propose(`echo new-${index}`)));
  await page.reload();
  const list = page.getByRole("list", { name: "History" });
  await list.locator("[aria-setsize='60']").first().waitFor();
  /** No faster than the list follows: rows are drawn where it has been scrolled to. */
  const goDown = async (times: number) => {
    for (let index = 0; index < times; index += 1) {
      if (index % 4 === 0) await painted(page);
      await page.keyboard.press("j");
    }
  };
  await goDown(58);
  await list.locator("[aria-setsize='120']").first().waitFor();
  await goDown(3);
  await list.locator(":focus").getByText("echo middle", { exact: true }).waitFor();
  assert.ok((await list.getByRole("listitem").count()) < 60);
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Command" }).getByText("echo middle").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("article", { name: "Story" }).waitFor({ state: "detached" });
  await list.getByText("echo middle", { exact: true }).waitFor();
});

deepTest("history and story stand on a phone and in the dark, and axe finds nothing serious", async (t) => {
  const opened = await openSignedIn(t, { at: "#/history", phone: true });
  if (opened === undefined) return;
  const { page, server } = opened;
  await someMorning(server);
  await page.reload();
  await page.getByRole("link", { name: /touch snapshots/ }).waitFor();
  for (const [colorScheme, name] of [
    ["light", "-phone"],
    ["dark", "-phone-dark"],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await seriousViolations(page), []);
    await shot(page, `history${name}`);
    await page.getByRole("link", { name: /touch snapshots/ }).click();
    await page.getByText("Whole").waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await shot(page, `story${name}`);
    await page.getByRole("link", { name: "‹ History" }).click();
    await page.getByRole("article", { name: "Story" }).waitFor({ state: "detached" });
  }
});
