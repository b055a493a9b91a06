import assert from "node:assert/strict";
import { test } from "node:test";
import { Place } from "./countersign.ts";
import { claudeEvent } from "./hook-fixture.ts";

/** What the hook answers for a command, as somebody types it. */
async function rewritten(place: Place, command: string): Promise<{ command: string; permit: string }> {
  const hook = place.start(["hook", "claude-code", "--home", place.home]);
  hook.child.stdin?.end(JSON.stringify(claudeEvent(place, command)));
  const { stdout } = await hook.ended;
  const text = JSON.parse(stdout).hookSpecificOutput.updatedInput.command;
  return { command: text, permit: /'([0-9a-f-]{36})'/.exec(text)?.[1] ?? assert.fail(text) };
}

test("`run` does what a rewritten command does", async (t) => {
  const place = new Place(t);
  await place.serve();
  const { permit } = await rewritten(place, "echo out; echo err >&2; false");
  const foreign = await place.run("run", permit);
  assert.deepEqual([foreign.code, foreign.stdout], [126, ""]);
  assert.deepEqual(await place.run("run", "--agent", "claude-code", permit), {
    ...{ code: 1, stdout: "out\n", stderr: "err\n" },
  });
});

test("a hub that is killed takes the command with it, and whoever waits is told", async (t) => {
  const place = new Place(t);
  const hub = await place.serve();
  const { permit } = await rewritten(place, "echo started; sleep 1000");
  const running = place.start(["run", "--agent", "claude-code", permit]);
  await running.firstLine();
  await hub.stop("SIGKILL");
  const { code, stderr } = await running.ended;
  assert.equal(code, 125);
  assert.match(
    stderr,
    /The hub ended before it told how the command did\. It doesn't run on; the ledger says whether it ran/,
  );
});
