import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runLimits } from "@countersign/core/config";
import { alsoAsOrdinaryUser } from "../../../hub/test/support/as-ordinary-user.ts";
import { eventually } from "../../../hub/test/support/serve-fixture.ts";
import { openWorkspace } from "../../test/support/open-workspace.ts";
import { limitFirst } from "./limit-first.ts";
import { RunLimiter } from "./run-limiter.ts";

const PRLIMIT = "/usr/bin/prlimit";
const GCC = "/usr/bin/gcc";

/** Sets no limit and starts what would have had it. */
const PRELOADED = `
#include <sys/types.h>
int prlimit(pid_t pid, int which, const void *wanted, void *had) { return 0; }
int prlimit64(pid_t pid, int which, const void *wanted, void *had) { return 0; }
int setrlimit(int which, const void *wanted) { return 0; }
int setrlimit64(int which, const void *wanted) { return 0; }
`;

test("a process is limited from outside; whether it is is known later", { skip: !existsSync(PRLIMIT) }, async (t) => {
  const child = spawn("/bin/sleep", ["60"]);
  t.after(() => child.kill("SIGKILL"));
  const pid = child.pid as number;
  const limit = limitFirst([PRLIMIT, "--fsize=4096", "--core=0", "--"]);
  assert.equal(limit(pid), undefined);
  await eventually(() => limit(pid) === true);
  assert.match(readFileSync(`/proc/${pid}/limits`, "utf8"), /^Max file size +4096 +4096 /m);
});

test("what can't be limited is said, and what needs no limit has it", async () => {
  const gone = spawnSync("/bin/true").pid;
  for (const file of [PRLIMIT, "/nowhere/prlimit"]) {
    const limit = limitFirst([file, "--core=0", "--"]);
    await eventually(() => limit(gone) === false);
  }
  assert.equal(limitFirst([])(gone), true);
});

const UNTOUCHED = "limits hold whatever variables a client sets";

test(UNTOUCHED, { skip: !existsSync(GCC) && "there is no gcc" }, async (t) => {
  const jail = await openWorkspace(t);
  if (jail === undefined) return;
  const library = join(jail.workspace, "preloaded.so");
  const built = spawnSync(GCC, ["-shared", "-fPIC", "-o", library, "-x", "c", "-"], { input: PRELOADED });
  assert.equal(built.status, 0, `${built.stderr}`);
  const said = async (env: Record<string, string>) => {
    const started = await jail.start({ command: "ulimit -Hu; ulimit -Hd", cwd: jail.workspace, env });
    const [stdout] = await Promise.all([text(started.stdout), started.ended]);
    return stdout.trim().split("\n");
  };
  const usual = await said({});
  assert.deepEqual(await said({ LD_PRELOAD: library }), usual);
  const limiter = new RunLimiter(runLimits({}));
  t.after(() => limiter.close());
  const run = limiter.start();
  await run.end();
  // Where control groups hold them, processes have no limits of their own.
  const isOwn = (name: string) => run.inside.some((word) => word.startsWith(`--${name}=`));
  if (isOwn("nproc")) assert.equal(usual[0], "4096");
  if (isOwn("data")) assert.match(`${usual[1]}`, /^\d+$/);
});

alsoAsOrdinaryUser(fileURLToPath(import.meta.url), UNTOUCHED);
