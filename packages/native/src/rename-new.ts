import { getSystemErrorName } from "node:util";
import koffi from "koffi";
import { nodePath } from "./path-bytes.ts";

const RENAMEAT2: Partial<Record<NodeJS.Architecture, number>> = { x64: 316, arm64: 276 };
const AT_FDCWD = -100;
const RENAME_NOREPLACE = 1;

const libc = koffi.load(null);
const renameat2 = libc.func(
  "long syscall(long number, int fromDir, const void *from, int toDir, const void *to, uint flags)",
);

/** Gives something a new name that nothing has yet. The name of the error, where it couldn't: EEXIST, EXDEV, ENOSYS. */
export function renameNew(from: string, to: string): string | undefined {
  const number = RENAMEAT2[process.arch];
  if (process.platform !== "linux" || number === undefined) return "ENOSYS";
  const failed = renameat2(number, AT_FDCWD, bytesOf(from), AT_FDCWD, bytesOf(to), RENAME_NOREPLACE) !== 0;
  return failed ? getSystemErrorName(-koffi.errno()) : undefined;
}

function bytesOf(path: string): Buffer {
  return Buffer.concat([Buffer.from(nodePath(path) as string), Buffer.of(0)]);
}
