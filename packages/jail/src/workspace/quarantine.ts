import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { writeFileAtomically } from "@countersign/core/base";
import { kindAt } from "@countersign/core/host/fs";
import { type DescribedEntry, describeTree } from "./describe-tree.ts";
import { moveTree } from "./move-tree.ts";

export interface Quarantined {
  /** Where it was. */
  readonly path: string;
  /** Where it is now. */
  readonly at: string;
}

export interface QuarantineReport {
  readonly quarantined: readonly Quarantined[];
  /** Still stands where it would start code, with the system's code: a person must look. */
  readonly failed: readonly { readonly path: string; readonly code: string }[];
}

const MANIFEST = "manifest.json";

/** Looked at for the manifest of one run. */
const DESCRIBED = { entries: 10_000, bytes: 256 * 1024 * 1024 };

/**
 * Takes things away from where they would start code, to `<directory>/<n>/<name>`, with a `manifest.json` that tells where
 * each was. `directory` is ours alone, and new for each run.
 */
export async function quarantine(paths: readonly string[], directory: string): Promise<QuarantineReport> {
  const quarantined: Quarantined[] = [];
  const failed: { path: string; code: string }[] = [];
  if (paths.length === 0) return { quarantined, failed };
  for (const [number, path] of paths.entries()) {
    const result = await take(path, { directory, number });
    if (result === undefined) continue;
    if ("code" in result) failed.push({ path, code: result.code });
    else quarantined.push({ path, at: result.at });
  }
  try {
    await writeManifest(directory, quarantined);
  } catch (cause) {
    // What was taken away is told all the same.
    failed.push({ path: join(directory, MANIFEST), code: codeOf(cause) });
  }
  return { quarantined, failed };
}

async function take(
  path: string,
  { directory, number }: { directory: string; number: number },
): Promise<{ at: string } | { code: string } | undefined> {
  try {
    const shelf = await makeShelf(join(directory, `${number}`));
    const to = shelf && join(shelf, basename(path));
    const at = await moveTree(path, to, `.quarantined-${basename(directory)}`);
    if (at !== undefined) return { at };
    return kindAt(path) === undefined ? undefined : { code: "UNREACHABLE" };
  } catch (cause) {
    return { code: codeOf(cause) };
  }
}

/** Undefined when it can't be made, on a full disk: what would lie there is put out of use where it is. */
async function makeShelf(path: string): Promise<string | undefined> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await mkdir(path, { mode: 0o700 });
    return path;
  } catch (cause) {
    codeOf(cause);
    return undefined;
  }
}

/** Anything else is a bug. */
function codeOf(cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === undefined) throw cause;
  return code;
}

async function writeManifest(directory: string, quarantined: readonly Quarantined[]): Promise<void> {
  const budget = { ...DESCRIBED };
  const entries: (Quarantined & { readonly inside: readonly DescribedEntry[] })[] = [];
  for (const one of quarantined) entries.push({ ...one, inside: await describeTree(one.at, one.path, budget) });
  await writeFileAtomically(join(directory, MANIFEST), `${JSON.stringify(entries, undefined, 2)}\n`);
}
