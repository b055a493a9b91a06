import { realpathSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { JailError } from "../base/index.ts";

const OTHERS_MAY_WRITE = 0o022;

/** A program that nobody but root can have put or changed there, by its absolute path. It isn't looked up in PATH. */
export function rootProgram(path: string): string {
  try {
    const real = realpathSync.native(path);
    const file = statSync(real);
    if (!file.isFile() || (file.mode & 0o111) === 0) throw new Error("it isn't a program");
    for (let at = real; ; at = dirname(at)) {
      if (!isRootsAlone(statSync(at))) throw new Error(`others than root may write to ${at}`);
      if (at === dirname(at)) return path;
    }
  } catch (cause) {
    const why = isAbsent(cause) ? "it isn't there" : cause instanceof Error ? cause.message : String(cause);
    throw new JailError("PROGRAM_MISSING", `${path} can't be used: ${why}`, { cause });
  }
}

function isRootsAlone({ uid, mode }: Stats): boolean {
  return uid === 0 && (mode & OTHERS_MAY_WRITE) === 0;
}

function isAbsent(cause: unknown): boolean {
  return (cause as NodeJS.ErrnoException).code === "ENOENT";
}
