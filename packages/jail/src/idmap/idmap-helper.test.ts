import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { possessions, whyNoIdmapMounts, workspaceOf } from "../../test/support/idmap-fixture.ts";

const CHILD = fileURLToPath(new URL("../../test/support/idmap-child.ts", import.meta.url));
const skip = (await whyNoIdmapMounts()) ?? false;

test("mounts in the workspace are part of it, and the host's later ones reach the room", { skip }, (t) => {
  const workspace = workspaceOf(t, 0);
  const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "countersign-room-")));
  chmodSync(elsewhere, 0o755);
  t.after(() => rmSync(elsewhere, { recursive: true }));
  const { mounts } = possessions();
  const args = ["--mount", "--propagation", "private", "--", "sh", "-c", 'mount --make-rshared / && exec "$@"', "sh"];
  const run = spawnSync("/usr/bin/unshare", [...args, process.execPath, CHILD, workspace, elsewhere], {
    encoding: "utf8",
  });
  assert.deepEqual([run.status, run.stderr], [0, ""]);
  assert.deepEqual(possessions().mounts, mounts);
});
