// Started in a mount namespace of its own, whose mounts are shared as those of most hosts are: `idmap-helper.test.ts`.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { enterNamespaces } from "../../src/idmap/enter-namespaces.ts";
import { IdmapMounts } from "../../src/idmap/idmap-mounts.ts";
import { inJail, USER } from "./idmap-fixture.ts";

const [workspace = "", elsewhere = ""] = process.argv.slice(2);
const at = (name: string) => {
  const path = join(workspace, name);
  mkdirSync(path, { recursive: true });
  return path;
};
const rooms = new IdmapMounts({ user: USER });

// A mount in the workspace is part of it.
execFileSync("mount", ["--bind", at("source"), at("mounted")]);
const mounts = () => readFileSync("/proc/self/mountinfo", "utf8");
const before = mounts();
const room = await rooms.open([workspace]);
assert.equal(inJail(room, [workspace], "touch mounted/made").status, 0);
assert.deepEqual(readdirSync(at("source")), ["made"]);
assert.equal(mounts(), before, "nothing of a room reaches the host, though its mounts are shared");

// What is mounted and unmounted later reaches a room that is open already.
const seen = () => {
  const [program = "", ...args] = [...enterNamespaces(room.namespaces, USER), "ls", elsewhere];
  return spawnSync(program, args, { encoding: "utf8" }).stdout;
};
assert.equal(seen(), "");
execFileSync("mount", ["-t", "tmpfs", "tmpfs", elsewhere]);
writeFileSync(join(elsewhere, "later"), "");
assert.equal(seen(), "later\n");
execFileSync("umount", [elsewhere]);
assert.equal(seen(), "");

// The workspace is replaced by mounting over it.
execFileSync("mount", ["--bind", elsewhere, workspace]);
assert.notDeepEqual((await rooms.open([workspace])).namespaces, room.namespaces);
execFileSync("umount", [workspace]);

// What can't be mapped isn't left out: the whole room is refused.
execFileSync("mount", ["-t", "proc", "proc", at("machine")]);
await assert.rejects(rooms.open([join(workspace, "machine"), at("source")]), { code: "IDMAP_UNSUPPORTED" });
const other = new IdmapMounts({ user: USER });
await assert.rejects(other.open([workspace]), { code: "IDMAP_UNSUPPORTED" });

rooms.close();
