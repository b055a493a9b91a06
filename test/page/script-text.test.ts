import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { denyAll, openCard, propose } from "./asking.ts";
import { openSignedIn, seriousViolations, shot } from "./open-page.ts";

const HOSTILE = "vitest \u202e<img src=x onerror=alert(1)>\u001b[2K && rm -rf ~";

deepTest("a card shows what stands in the script that it runs, as text that somebody else wrote", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page, server, complaints } = opened;
  const cwd = join(server.workspace, "web");
  mkdirSync(cwd);
  const write = (scripts: object) => writeFileSync(join(cwd, "package.json"), JSON.stringify({ scripts }));
  write({ pretest: "tsc --noEmit", test: HOSTILE, build: `echo ${"x ".repeat(1_500)}` });
  const texts = page.getByRole("article", { name: "Approval" }).locator(".script-texts li");

  const outcome = propose(server, "npm test", { cwd });
  await openCard(page, "npm test");
  await page.getByText('Runs this project\'s "test" script').first().waitFor();
  assert.deepEqual(await texts.allInnerTexts(), [
    "pretest: tsc --noEmit",
    "test: vitest U+202E<img src=x onerror=alert(1)>U+001B[2K && rm -rf ~",
  ]);
  assert.equal(await texts.locator("img").count(), 0);
  await shot(page, "approval-script");
  assert.deepEqual(await seriousViolations(page), []);

  // What would run instead is looked up the same way.
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: /runs instead/ }).fill("npm run build");
  await page
    .locator(".trial .script-texts")
    .getByText(/^build: echo x x.*characters that aren't shown$/)
    .waitFor();
  await page.getByRole("button", { name: "Back", exact: true }).click();

  // Another text than the one that was on screen isn't run.
  write({ test: "touch stolen" });
  await page.getByRole("button", { name: "Allow once" }).click();
  const { kind, reason } = await outcome;
  assert.equal(kind, "not-started");
  assert.match(reason ?? "", /package\.json changed after the decision/);

  const missing = propose(server, "npm run lint", { cwd, session: "missing" });
  await openCard(page, "npm run lint");
  assert.deepEqual(await texts.allInnerTexts(), ["Its text isn’t here: package.json has no script of that name."]);
  await denyAll(server);
  await missing;
  assert.deepEqual(complaints, []);
});
