import { lstatSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { Server } from "node:net";
import { StartError } from "@countersign/core/errors";

/** Unix socket paths longer than this are cut or refused by the kernel (sun_path). */
const LONGEST_PATH = 107;

export function refuseLongPath(path: string): void {
  if (Buffer.byteLength(path) <= LONGEST_PATH) return;
  throw new StartError("HOME_UNWRITABLE", `${path} is too long a path for a unix socket. Choose a shorter one.`);
}

/** Listens on a path, for this user alone. The home's lock is ours, so a socket that is there belonged to a process that died. */
export async function listenAt(server: Server, path: string): Promise<void> {
  refuseLongPath(path);
  refuseOthersFile(path);
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // 0 for others until the mode is set: nobody gets in between.
    const umask = process.umask(0o177);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
    process.umask(umask);
  });
}

/** A path that somebody mistyped may be a file of theirs. */
function refuseOthersFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSocket()) return;
  throw new StartError("CONFIG_INVALID", `${path} isn't a socket: the recorder won't replace it.`);
}
