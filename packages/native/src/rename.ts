import { lastError, native } from "./libc.ts";
import { nodePath } from "./path-bytes.ts";

const RENAMEAT2: Partial<Record<NodeJS.Architecture, number>> = { x64: 316, arm64: 276 };
const AT_FDCWD = -100;
const RENAME_NOREPLACE = 1;

const renameat2 = native(
  "long syscall(long number, int fromDir, const void *from, int toDir, const void *to, uint flags)",
);

/** Gives something a name that nothing has yet. Returns the name of the error if it fails: EEXIST, EXDEV, ENOSYS. man 2 renameat2, Linux 3.15. */
export function renameNew(from: string, to: string): string | undefined {
  const number = RENAMEAT2[process.arch];
  if (process.platform !== "linux" || number === undefined) return "ENOSYS";
  const failed = renameat2(number, AT_FDCWD, bytesOf(from), AT_FDCWD, bytesOf(to), RENAME_NOREPLACE) !== 0;
  return failed ? lastError() : undefined;
}

function bytesOf(path: string): Buffer {
  return Buffer.concat([Buffer.from(nodePath(path) as string), Buffer.of(0)]);
}
