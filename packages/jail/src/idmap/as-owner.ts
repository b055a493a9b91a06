import { fstatSync } from "node:fs";
import {
  canChangeThreads,
  dumpability,
  type FileUser,
  fileUser,
  setDumpability,
  setFileUser,
  setThreadCapabilities,
  setThreadGroups,
  threadCapabilities,
} from "@countersign/native";
import { JailError } from "../base/index.ts";

export type Owner = FileUser;

/** Root's rights over others' files: CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER and FSETID are the first five. */
const OVER_FILES = 0b11111;

/** Whose rights a root hub has in a tree that it was given. Undefined where this isn't root: the kernel knows who it is. */
export function ownerOf(directory: number): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = fstatSync(directory);
  return { uid, gid };
}

/**
 * Does something to files with no more rights than this owner has: what it can't enter isn't entered for it, and what is made is its own from the
 * start. Only for this thread, and so only while `work` goes on: it must not wait for anything.
 */
export function asOwner<T>(owner: Owner | undefined, work: () => T): T {
  if (owner === undefined) return work();
  if (!canChangeThreads()) throw new JailError("ROOM_FAILED", `A thread can't become another user on ${process.arch}`);
  const before = { ...fileUser(), groups: process.getgroups?.() ?? [] };
  const rights = threadCapabilities();
  const dumpable = dumpability();
  try {
    setThreadGroups([]);
    become(owner);
    const [effective = 0, ...others] = rights;
    setThreadCapabilities([effective & ~OVER_FILES, ...others]);
    return work();
  } finally {
    orElseEnd(() => {
      become(before);
      setThreadCapabilities(rights);
      setThreadGroups(before.groups);
      // The kernel takes that from the whole process, and then nobody without CAP_SYS_PTRACE reaches its namespaces and descriptors any more.
      // Whatever it was, it can only be set to these two.
      setDumpability(dumpable === 1 ? 1 : 0);
    });
  }
}

/** A thread that is half somebody else does nothing more. */
function orElseEnd(goBack: () => void): void {
  try {
    goBack();
  } catch (cause) {
    process.stderr.write(`A thread couldn't become who it was: ${cause}\n`);
    process.abort();
  }
}

/** The kernel doesn't say when it refuses: so it is asked. */
function become(owner: Owner): void {
  const { uid, gid } = owner;
  setFileUser(owner);
  const now = fileUser();
  if (now.gid !== gid || now.uid !== uid)
    throw new JailError("ROOM_FAILED", `This thread can't be user ${uid} and group ${gid} to files`);
}
