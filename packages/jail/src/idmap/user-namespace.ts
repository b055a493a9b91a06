import { type ChildProcessByStdio, spawn } from "node:child_process";
import { openSync, writeFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { endOf, JailError } from "../base/index.ts";
import { rootProgram } from "./root-program.ts";

/** On-disk owner → the owner that is seen. */
export interface OwnerMap {
  readonly uid: readonly [owner: number | bigint, seen: number];
  readonly gid: readonly [owner: number | bigint, seen: number];
}

/** A descriptor of a user namespace that knows these two ids and no others. No process stays in it. */
export async function openUserNamespace(map: OwnerMap): Promise<number> {
  const echo = spawn(rootProgram("/usr/bin/unshare"), ["--user", "--", rootProgram("/bin/cat")], {
    stdio: ["pipe", "pipe", "inherit"],
    env: {},
    cwd: "/",
  });
  const ended = endOf(echo);
  try {
    await answer(echo);
    writeFileSync(`/proc/${echo.pid}/uid_map`, `${map.uid.join(" ")} 1\n`);
    writeFileSync(`/proc/${echo.pid}/gid_map`, `${map.gid.join(" ")} 1\n`);
    return openSync(`/proc/${echo.pid}/ns/user`, "r");
  } finally {
    echo.kill("SIGKILL");
    await ended;
  }
}

/** What comes back proves that unshare has become cat, inside the namespace. */
async function answer(echo: ChildProcessByStdio<Writable, Readable, null>): Promise<void> {
  echo.stdin.on("error", () => {
    // EPIPE: it ended, which is told by the end of its output.
  });
  echo.stdin.write("\n");
  for await (const _ of echo.stdout) return;
  throw new JailError("ROOM_FAILED", "No user namespace could be made");
}
