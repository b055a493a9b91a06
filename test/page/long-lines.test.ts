import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { propose } from "./asking.ts";
import { openSignedIn, shot } from "./open-page.ts";

/** Its end is on screen; what gives way is before that. */
async function endsOnScreen(line: Locator, end: string): Promise<void> {
  const [start, tail] = [line.locator("> span").first(), line.locator("> span").last()];
  await tail.waitFor();
  assert.ok((await tail.textContent())?.endsWith(end), `ends with ${await tail.textContent()}`);
  const [wide, box] = [await line.page().evaluate(() => innerWidth), await tail.boundingBox()];
  assert.ok(box !== null && box.width > 0 && box.x + box.width <= wide, `${end} is on screen`);
  assert.ok(await start.evaluate((one) => one.scrollWidth > one.clientWidth), "there isn't room for all of it");
}

deepTest("a long command or path gives way in its middle, in runs and in the history, on a phone", async (t) => {
  const opened = await openSignedIn(t, { phone: true, at: "#/runs" });
  if (opened === undefined) return;
  const { page, server } = opened;
  const cwd = join(server.workspace, "packages/with-a-long-name/inside-of-another-one/web");
  mkdirSync(cwd, { recursive: true });
  const words = Array.from({ length: 12 }, (_, n) => `word-${n}`).join(" ");
  const command = `while [ ! -e go ]; do sleep 0.05; done; echo ${words} last`;
  const outcome = propose(server, command, { cwd, session: "rename" });
  const row = page.locator(".runs-row");
  await endsOnScreen(row.locator(".runs-command .clipped-line"), " last");
  await endsOnScreen(row.locator(".quiet .clipped-line"), "/web");
  await shot(page, "runs-long-lines");
  writeFileSync(join(cwd, "go"), "");
  await outcome;
  await page.goto("#/history");
  await endsOnScreen(page.locator(".past-row .clipped-line"), " last");
  await shot(page, "history-long-lines");
});
