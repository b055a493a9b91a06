import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { systemClock } from "@countersign/core/base";
import { stepArguments } from "../bubblewrap/bwrap-arguments.ts";
import { isSound } from "../bubblewrap/is-sound.ts";
import type { PlaceStep } from "../plan/jail-view.ts";
import { startProcess } from "./start-process.ts";
import { Withdrawal } from "./withdrawal.ts";

const BASE = ["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
const works = spawnSync("/usr/bin/bwrap", [...BASE, "true"]).status === 0;
const skip = !works && "bubblewrap isn't installed or doesn't work here";

interface Scene {
  readonly root: string;
  readonly outside: string;
  run(
    steps: readonly PlaceStep[],
    command: string,
    sourceOf?: (path: string) => string,
  ): ReturnType<typeof startProcess>;
}

function scene(t: TestContext): Scene {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "gate-")));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const [root, outside] = [join(base, "root"), join(base, "outside")];
  for (const path of [join(root, "a/b"), join(root, "c"), outside]) mkdirSync(path, { recursive: true });
  writeFileSync(join(root, ".env"), "SECRET");
  const run: Scene["run"] = (steps, command, sourceOf = (path) => path) => {
    const view = { roots: [root], shown: [], steps };
    const binds = ["--bind", root, root, ...steps.flatMap((step) => stepArguments(step, sourceOf))];
    const args = [
      ...BASE,
      "--json-status-fd",
      "3",
      "--block-fd",
      "4",
      "--tmpfs",
      base,
      ...binds,
      "bash",
      "-c",
      command,
    ];
    const jail = { descriptors: [], isSound: (pid: number) => isSound(view, [], pid) };
    const launch = { file: "/usr/bin/bwrap", args, env: { PATH: "/usr/bin:/bin" }, cwd: "/", jail };
    const plan = { launch, timeoutMs: 60_000, killGraceMs: 100, maxOutputBytes: 10_000 };
    return startProcess(plan, systemClock, new Withdrawal());
  };
  return { root, outside, run };
}

test("a jail that is what it should be runs its command, which inherits nothing of the gate", { skip }, async (t) => {
  const { root, run } = scene(t);
  const steps: PlaceStep[] = [
    { do: "hide", path: join(root, ".env"), kind: "file" },
    { do: "pin", path: join(root, "a") },
    { do: "read-only", path: join(root, "a/b") },
    { do: "mask", path: join(root, "c") },
  ];
  const { end, stdout } = await run(steps, `touch '${root}/a/made'; ls /proc/self/fd | tr '\\n' ' '`);
  assert.deepEqual([end, stdout], [{ kind: "exited", exitCode: 0 }, "0 1 2 3 "]);
  assert.ok(existsSync(join(root, "a/made")));
});

test("when a directory was swapped for a link since it was looked at, nothing runs", { skip }, async (t) => {
  const { root, outside, run } = scene(t);
  const steps: PlaceStep[] = [
    { do: "pin", path: join(root, "a") },
    { do: "read-only", path: join(root, "a/b") },
  ];
  mkdirSync(join(outside, "b"));
  // As bwrap sees it when there is a link while it looks for what to bind, and a directory when it binds.
  const swapped = (path: string) => path.replace(join(root, "a"), outside);
  const { end } = await run(steps, `touch '${root}/a/made' '${root}/made'`, swapped);
  assert.equal(end.kind, "jail-refused");
  assert.match("reason" in end ? end.reason : "", /another run changed the workspace/);
  assert.deepEqual([existsSync(join(outside, "made")), existsSync(join(root, "made"))], [false, false]);
});

test("what bwrap itself can't build is told as before", { skip }, async (t) => {
  const { root, run } = scene(t);
  const { end } = await run([{ do: "pin", path: join(root, "vanished") }], "true");
  assert.equal(end.kind, "jail-refused");
  assert.match("reason" in end ? end.reason : "", /vanished/);
});

test("a run that is withdrawn while it is held back ends", { skip }, async (t) => {
  const { root } = scene(t);
  const withdrawal = new Withdrawal();
  const jail = { descriptors: [], isSound: () => undefined };
  const args = [...BASE, "--json-status-fd", "3", "--block-fd", "4", "touch", join(root, "made")];
  const launch = { file: "/usr/bin/bwrap", args, env: {}, cwd: "/", jail };
  const plan = { launch, timeoutMs: 300, killGraceMs: 0, maxOutputBytes: 100 };
  assert.deepEqual((await startProcess(plan, systemClock, withdrawal)).end, { kind: "timed-out" });
  assert.equal(execFileSync("ls", ["-A", root], { encoding: "utf8" }).includes("made"), false);
});
