import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { JailError } from "../../src/base/jail-error.ts";
import { enterNamespaces } from "../../src/idmap/enter-namespaces.ts";
import { IdmapMounts, type IdmapMountsOptions } from "../../src/idmap/idmap-mounts.ts";
import type { IdmapMount } from "../../src/idmap/shared-idmap-mount.ts";

/** Not anybody's: the tests depend on no entry in the user database. */
export const USER = { uid: 54_321, gid: 54_322 };

/** Why no mount room can be made and entered here, or undefined. */
export async function whyNoIdmapMounts(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return "mount rooms are for a hub that runs as root";
  const dir = mkdtempSync(join(tmpdir(), "countersign-room-"));
  const rooms = new IdmapMounts({ user: USER });
  try {
    const room = await rooms.open([realpathSync(dir)]);
    const { status, stderr, error } = inJail(room, [], "true");
    return status === 0 ? undefined : `bubblewrap doesn't work here as an ordinary user: ${error?.message ?? stderr}`;
  } catch (cause) {
    if (cause instanceof JailError) return cause.message;
    throw cause;
  } finally {
    rooms.close();
    rmSync(dir, { recursive: true });
  }
}

export function openIdmapMounts(t: TestContext, facts: Partial<IdmapMountsOptions> = {}): IdmapMounts {
  const rooms = new IdmapMounts({ user: USER, ...facts });
  t.after(() => rooms.close());
  return rooms;
}

/** A workspace below a directory that only its owner can enter, as those in /root are. */
export function workspaceOf(t: TestContext, uid: number, gid = uid): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "countersign-room-")));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const workspace = join(home, "workspace");
  mkdirSync(workspace);
  for (const dir of [home, workspace]) {
    chmodSync(dir, 0o700);
    chownSync(dir, uid, gid);
  }
  return workspace;
}

/** A run's command line: the first of these paths is where it starts, all can be written. */
export function jailed(room: IdmapMount, paths: readonly string[], script: string): [string, string[]] {
  const [program = "", ...args] = [
    ...enterNamespaces(room.namespaces, USER),
    ...["/usr/bin/bwrap", "--ro-bind", "/", "/", "--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev"],
    ...paths.flatMap((path) => ["--bind", room.pathOf(path), path]),
    ...["--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-net", "--unshare-ipc"],
    ...["--cap-drop", "ALL", "--new-session", "--die-with-parent", "--chdir", paths[0] ?? "/"],
    ...["--", "/bin/bash", "--noprofile", "--norc", "-c", script],
  ];
  return [program, args];
}

export function inJail(room: IdmapMount, paths: readonly string[], script: string) {
  return spawnSync(...jailed(room, paths, script), { encoding: "utf8", env: { PATH: "/usr/bin:/bin", LC_ALL: "C" } });
}

/** A room's mounts, if they were on the host. Other tests have mounts of their own. */
const OURS = /idmapped|countersign-room-|\/dev\/shm/;

/** What must be the same after everything was closed. */
export function possessions() {
  return {
    descriptors: readdirSync("/proc/self/fd").length,
    children: readFileSync(`/proc/self/task/${process.pid}/children`, "utf8"),
    mounts: readFileSync("/proc/self/mountinfo", "utf8")
      .split("\n")
      .filter((line) => OURS.test(line)),
  };
}
