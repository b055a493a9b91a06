import { basename, type Part } from "../model/index.ts";
import { compilePattern, firstLiteral } from "../patterns/index.ts";
import type { Circumstances, Entry } from "../profile/index.ts";
import { runsCode } from "../programs/index.ts";

type HashFile = NonNullable<Circumstances["hashFile"]>;

/** Reports whether the part's code is still the code that the entry pins. True if the entry pins none. */
export function holdsCode(entry: Entry, part: Part, { hashFile }: Pick<Circumstances, "hashFile">): boolean {
  const { code: stated } = entry;
  if (stated === undefined) return true;
  if (part.code === undefined || hashFile === undefined) return false;
  return part.code.every((files) => {
    // Compare up to the file that runs: the absence of those before it was part of what was seen.
    const end = files.findIndex((file) => hashFile(file) !== null);
    return files
      .slice(0, end < 0 ? files.length : end + 1)
      .every((file) => Object.hasOwn(stated, file) && hashFile(file) === stated[file]);
  });
}

/** Returns the entry with the code that these parts run now pinned; unchanged if there is none or it isn't known. */
export function holdCode(entry: Entry, parts: readonly Part[], hashFile: HashFile | undefined): Entry {
  const code = hashFile && readCode(parts, hashFile);
  return code === undefined || Object.keys(code).length === 0 ? entry : { ...entry, code };
}

/** Reports whether these parts run code that the entry doesn't pin. */
export function leavesCodeOpen(entry: Entry, parts: readonly Part[]): boolean {
  return entry.code === undefined && parts.some((part) => part.code === undefined || part.code.length > 0);
}

/** Returns the hashes by path; undefined if the code isn't known or can't be hashed. */
function readCode(parts: readonly Part[], hashFile: HashFile): NonNullable<Entry["code"]> | undefined {
  const found: Record<string, string | null> = {};
  for (const part of parts) {
    if (part.code === undefined) return undefined;
    for (const files of part.code) {
      for (const file of files) {
        const hash = hashFile(file);
        if (hash === undefined) return undefined;
        found[file] = hash;
        if (hash !== null) break;
      }
    }
  }
  return found;
}

/**
 * Reports whether an entry allows a program to run code from files, even after the code changed. People are warned of
 * it.
 */
export function isOpenToCode({ pattern, code }: Pick<Entry, "pattern" | "code">): boolean {
  return code === undefined && runsCode(basename(firstLiteral(compilePattern(pattern)) ?? ""));
}
