import assert from "node:assert/strict";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { denyAll, propose } from "./asking.ts";
import { openSignedIn, shot } from "./open-page.ts";

/** As `--text-2` and `--danger` have it, light. */
const QUIET = "rgb(90, 90, 85)";
const RED = "rgb(179, 38, 30)";

deepTest("a deadline reddens in its last minute, in the list and on the card, and not before", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page, server } = opened;
  const change = { action: "set", settings: { timeoutMs: 600_000 } };
  await server.api("POST", "/api/v1/policy/edit", { profile: "default", change });
  const outcome = propose(server, "touch soon");
  await page.getByRole("link", { name: /touch soon/ }).click();
  await page.getByRole("article", { name: "Approval" }).waitFor();
  const timers = page.getByRole("timer");
  const seen = () => timers.evaluateAll((all) => all.map((one) => getComputedStyle(one).color));
  await timers.nth(1).waitFor();
  assert.deepEqual(await seen(), [QUIET, QUIET], "there's time yet");

  const [card] = (await server.api("GET", "/api/v1/approvals")).body as [{ expiresAtMs: number }];
  // For the page it is a little less than a minute before: nobody has to wait for that.
  await page.evaluate((expiresAtMs) => {
    const [before, from] = [Date.now.bind(Date), Date.now()];
    Date.now = () => expiresAtMs - 55_000 + (before() - from);
  }, card.expiresAtMs);
  await page.locator(".inbox-row time.soon").waitFor();
  await page.locator("article time.soon").waitFor();
  assert.deepEqual(await seen(), [RED, RED]);
  assert.match((await timers.first().textContent()) ?? "", /^0:[0-5]\d$/);
  await shot(page, "inbox-soon");
  await denyAll(server);
  await outcome;
});
