import assert from "node:assert/strict";
import { test } from "node:test";
import { openFrameBench } from "../bench/record-frames.ts";
import { Place, SOURCE_BIN } from "../packages/cli/test/countersign.ts";
import { loadPty, PtyScreen } from "../packages/cli/test/pty-screen.ts";

/** So many take a second or so. */
const RECEIPTS = 20_000;

test("on a terminal, verifying tells how far it is, how fast, and how long it takes; elsewhere it tells nothing of that", async (t) => {
  const place = new Place(t);
  const frames = await openFrameBench();
  t.after(() => frames.close());
  await frames.record(RECEIPTS, 1);
  const pty = (await loadPty()) ?? assert.fail("there is no build of a terminal for this machine");
  const args = [process.execPath, SOURCE_BIN, "receipts", "verify", frames.path, "--home", place.home];
  const env = { PATH: process.env.PATH ?? "", HOME: place.workspace };
  const screen = new PtyScreen(pty, args, { cwd: place.workspace, env });
  assert.equal(await screen.ended, 3, screen.sent);
  assert.match(screen.sent, /[\d,]+ verified \(\d+ %\), [\d,]+ a second, \d+ s left/);
  await screen.shows("WHOLE");
  assert.doesNotMatch(screen.text, /a second/, "the line is taken away");
  const piped = await place.run("receipts", "verify", frames.path);
  assert.deepEqual([piped.code, piped.stderr], [3, ""]);
  assert.doesNotMatch(piped.stdout, /a second/);
});
