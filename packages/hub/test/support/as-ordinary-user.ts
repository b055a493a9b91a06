import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const ORDINARY = 54_321;
const BECOME = ["--reuid", `${ORDINARY}`, "--regid", `${ORDINARY}`, "--clear-groups", "--"];

/** Has all tests of a file run once more as an ordinary user, where root runs them deeply; `proof` is one that must not be skipped. */
export function alsoAsOrdinaryUser(file: string, proof: string): void {
  if (!process.env.COUNTERSIGN_DEEP) return;
  test("the same as an ordinary user", { skip: whyNot(file) }, (t) => {
    const home = mkdtempSync(join(tmpdir(), "countersign-ordinary-"));
    t.after(() => rmSync(home, { recursive: true }));
    chownSync(home, ORDINARY, ORDINARY);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const args = [...BECOME, process.execPath, "--test", "--test-reporter=tap", file];
    const run = spawnSync("setpriv", args, { encoding: "utf8", env: { ...env, HOME: home }, timeout: 240_000 });
    assert.equal(run.status, 0, run.stdout + run.stderr);
    // With a remark behind it, it was skipped.
    const passed = run.stdout.split("\n").filter((line) => /^ok \d+ - [^#]*$/.test(line));
    assert.ok(
      passed.some((line) => line.includes(proof)),
      run.stdout,
    );
  });
}

function whyNot(file: string): string | false {
  if (process.getuid?.() !== 0) return "only root can become another user; this is an ordinary one already";
  const reach = spawnSync("setpriv", [...BECOME, "test", "-r", file]);
  return reach.status === 0 ? false : "an ordinary user can't read the sources here";
}
