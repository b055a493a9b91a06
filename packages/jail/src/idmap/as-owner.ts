import { fstatSync } from "node:fs";
import { checked } from "@countersign/native";
import koffi from "koffi";
import { JailError } from "../base/index.ts";

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Root's rights over others' files: CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER and FSETID are the first five. */
const OVER_FILES = 0b11111;
/** _LINUX_CAPABILITY_VERSION_3, and of which thread: this one. Then effective, permitted and inheritable, twice. */
const CAPABILITIES_OF = Uint32Array.of(0x20080522, 0);
const CAPABILITY_WORDS = 6;
/** The C library's own call would change every thread: the kernel's changes the one that calls. */
const SETGROUPS: Readonly<Record<string, number>> = { x64: 116, arm64: 159 };
const PR_GET_DUMPABLE = 3;
const PR_SET_DUMPABLE = 4;
/** No id: nothing is changed, and the present one is told. */
const NOBODY = 0xffffffff;

const libc = koffi.load(null);
// They answer with an id; the C library says int.
const setfsuid = libc.func("uint setfsuid(uint uid)");
const setfsgid = libc.func("uint setfsgid(uint gid)");
const prctl = libc.func("int prctl(int option, ulong a, ulong b, ulong c, ulong d)");
const capget = libc.func("int capget(const void *header, _Out_ uint32_t *data)");
const capset = libc.func("int capset(const void *header, const void *data)");
const setgroups = libc.func("long syscall(long number, size_t count, const void *groups)");

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
  const number = SETGROUPS[process.arch];
  if (number === undefined) throw new JailError("ROOM_FAILED", `A thread can't become another user on ${process.arch}`);
  const before = {
    uid: setfsuid(NOBODY),
    gid: setfsgid(NOBODY),
    groups: Uint32Array.from(process.getgroups?.() ?? []),
  };
  const rights = new Array<number>(CAPABILITY_WORDS).fill(0);
  checked("capget", capget(CAPABILITIES_OF, rights));
  const dumpable = checked("prctl", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
  try {
    checked("setgroups", setgroups(number, 0, null));
    become(owner);
    const [effective = 0, ...others] = rights;
    checked("capset", capset(CAPABILITIES_OF, Uint32Array.of(effective & ~OVER_FILES, ...others)));
    return work();
  } finally {
    orElseEnd(() => {
      become(before);
      checked("capset", capset(CAPABILITIES_OF, Uint32Array.from(rights)));
      checked("setgroups", setgroups(number, before.groups.length, before.groups));
      // The kernel takes that from the whole process, and then nobody without CAP_SYS_PTRACE reaches its namespaces and descriptors any more.
      // Whatever it was, it can only be set to these two.
      checked("prctl", prctl(PR_SET_DUMPABLE, dumpable === 1 ? 1 : 0, 0, 0, 0));
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

/** These two say nothing where they fail. */
function become({ uid, gid }: Owner): void {
  setfsgid(gid);
  setfsuid(uid);
  if (setfsgid(NOBODY) !== gid || setfsuid(NOBODY) !== uid)
    throw new JailError("ROOM_FAILED", `This thread can't be user ${uid} and group ${gid} to files`);
}
