import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { SOURCE_BIN } from "./countersign.ts";

const BECOME = ["--reuid", "54321", "--regid", "54321", "--clear-groups", "--"];

const skip =
  process.getuid?.() !== 0
    ? "only root can become a user without an entry"
    : spawnSync("setpriv", [...BECOME, "test", "-r", SOURCE_BIN]).status !== 0 &&
      "another user can't read the sources here";

test("a user without a home is told to name a place, and one who does needs none", { skip }, () => {
  const pending = (env: NodeJS.ProcessEnv) =>
    spawnSync("setpriv", [...BECOME, process.execPath, SOURCE_BIN, "pending"], {
      encoding: "utf8",
      env: { PATH: "/usr/bin", ...env },
    });
  const lost = pending({});
  assert.deepEqual([lost.status, lost.stderr.includes("COUNTERSIGN_HOME")], [2, true], lost.stderr);
  assert.match(pending({ COUNTERSIGN_HOME: "/nonexistent/countersign" }).stderr, /No hub is running/);
});
