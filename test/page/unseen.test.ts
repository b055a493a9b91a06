import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { denyAll, propose } from "./asking.ts";
import { openSignedIn } from "./open-page.ts";
import { agentOf, answered, waiting } from "./past-fixture.ts";
import { until } from "./until.ts";

/** Turns what follows around. */
const TURNED = "na\u202eme";

/** Attributes with what turns text around or isn't seen. A field's value is what was typed. */
function deceiving(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    for (const element of document.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        const isTyped = name === "value" && element.matches("input, option");
        if (!isTyped && /[\u202a-\u202e\u2066-\u2069\u200b]/.test(value)) found.push(`${element.tagName} ${name}`);
      }
    }
    return found;
  });
}

deepTest("what turns text around is named also where it is only pointed at", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page, server } = opened;
  const agent = await agentOf(server, "claude-code");
  await answered(server, agent.propose("touch made", TURNED), { decision: "deny" });
  const asked = propose(server, `rm -rf /srv/${TURNED}`);
  const card = await until("a question", async () => (await waiting(server))[0]);
  const named = page.locator('main [title*="<U+202E>"]').first();
  for (const [at, told] of [
    ["#/inbox", page.locator("main .unseen").first()],
    [`#/approval/${card.approvalId}`, page.locator("main figure pre .unseen").first()],
    ["#/today", named],
    ["#/history", named],
  ] as const) {
    await page.goto(at);
    await told.waitFor({ state: "attached" });
    assert.deepEqual(await deceiving(page), [], at);
  }
  await denyAll(server);
  await asked;
});
