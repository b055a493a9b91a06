import assert from "node:assert/strict";
import { test } from "node:test";
import { Place } from "./countersign.ts";
import { claudeEvent } from "./hook-fixture.ts";

/** What the hook answers for a command, as somebody types it. */
async function rewritten(place: Place, command: string): Promise<{ permit: string }> {
  const hook = place.start(["hook", "claude-code", "--home", place.home]);
  hook.child.stdin?.end(JSON.stringify(claudeEvent(place, command)));
  const { stdout } = await hook.ended;
  const text = JSON.parse(stdout).hookSpecificOutput.updatedInput.command;
  return { permit: /'([0-9a-f-]{36})'/.exec(text)?.[1] ?? assert.fail(text) };
}

test("`run` does what a rewritten command does; a hub that is killed takes the command with it, and that is told", async (t) => {
  const place = new Place(t);
  const hub = await place.serve();
  const { permit } = await rewritten(place, "echo out; echo err >&2; false");
  const foreign = await place.run("run", permit);
  assert.deepEqual([foreign.code, foreign.stdout], [126, ""]);
  const own = await place.run("run", "--agent", "claude-code", permit);
  assert.deepEqual(own, { code: 1, stdout: "out\n", stderr: "err\n" });

  const long = await rewritten(place, "echo started; sleep 1000");
  const running = place.start(["run", "--agent", "claude-code", long.permit]);
  await running.firstLine();
  await hub.stop("SIGKILL");
  const { code, stderr } = await running.ended;
  assert.equal(code, 125);
  assert.match(stderr, /The hub ended before it told how the command did\. It doesn't run on; the ledger says whether/);
});
