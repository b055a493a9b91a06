import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../hub/test/support/fake-clock.ts";
import { eventually, sleeper } from "../../../hub/test/support/serve-fixture.ts";
import { canDisarm, disarmFirst } from "../../test/support/disarm-first.ts";
import { type Launcher, launchers } from "../../test/support/launchers.ts";
import { openWorkspace } from "../../test/support/open-workspace.ts";
import { RunOutput } from "../process/run-output.ts";
import { startProcess } from "../process/start-process.ts";
import { Withdrawal } from "../process/withdrawal.ts";
import type { JailedProcess } from "../session/jailed-process.ts";

const skip = !canDisarm && "there is no code for this machine";
const jailed = launchers().all.find(({ name }) => name === "jailed") as Launcher;

test("nothing of a run is left at its timeout, whatever was done to the jail's first process", {
  skip,
  timeout: 60_000,
}, async (t) => {
  const why = jailed.why();
  if (why !== undefined) return t.skip(why);
  const { command, pids } = sleeper();
  const { launch, finish } = await jailed.make({ command: disarmFirst(command) });
  const [clock, withdrawal, output] = [new FakeClock(), new Withdrawal(), new RunOutput(1024)];
  const limits = { timeoutMs: 60_000, killGraceMs: 1_000, maxOutputBytes: 1024 };
  const result = startProcess({ launch, ...limits, output }, clock, withdrawal);
  t.after(async () => {
    withdrawal.withdraw("the test is over");
    await result;
    await finish();
  });
  await eventually(() => pids().length === 1);
  t.diagnostic(output.toText("stdout"));
  clock.advance(60_000);
  clock.advance(1_000);
  assert.deepEqual((await result).end, { kind: "timed-out" });
  // Before the control group, where there is one, ends what is left.
  await eventually(() => pids().length === 0);
});

test("nor is anything of what somebody started in a workspace, when it is killed or its bwrap has ended", {
  skip,
  timeout: 60_000,
}, async (t) => {
  const jail = await openWorkspace(t);
  if (jail === undefined) return;
  const ways: ((started: JailedProcess) => void)[] = [
    (started) => started.signal("SIGKILL"),
    ({ pid }) => process.kill(pid, "SIGKILL"),
  ];
  for (const end of ways) {
    const { command, pids } = sleeper();
    const started = await jail.start({ command: disarmFirst(command), cwd: jail.workspace, env: {} });
    await eventually(() => pids().length === 1);
    end(started);
    assert.deepEqual(await started.ended, { signal: "SIGKILL" });
    await eventually(() => pids().length === 0);
  }
});
