import { accessSync, closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { sha256Hex } from "@countersign/core/base";
import { type FileHashes, isUnread, stampOf, WITHOUT_WAITING } from "@countersign/core/host";
import { isInside, realPath } from "@countersign/core/host/fs";
import type { Part } from "@countersign/policy";
import { type CodeSnapshot, JailError } from "../base/index.ts";
import type { HeldCode } from "../held/index.ts";

/** Larger ones are bound by their hash alone. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Tools that manage packages write these while they run. */
const MANIFESTS = new Set(["package.json", "deno.json", "deno.jsonc", "composer.json", "Gemfile", "Cargo.toml"]);

/** What was approved, as far as its code goes. */
interface Approved {
  /** Hashes of the files whose code it is about to run. */
  readonly binding: { readonly code: Readonly<Record<string, string>> };
  readonly classification: { readonly parts: readonly Part[] };
  readonly proposal: { readonly roots: readonly string[] };
}

/** What a run's code is held by. */
interface HeldSnapshots {
  readonly code: readonly CodeSnapshot[];
  readonly heldCode: readonly HeldCode[];
}

/**
 * The code that is run is the code that was hashed: each file is read once more, held against its hash, and shown to the run
 * as it was read. Whoever changes the file in the meantime, also the run itself, changes nothing of what it starts. A file that isn't copied, because
 * it is too large or outside of the workspace, is held by its stamp: whoever changes it ends the run.
 */
export async function snapshotCode(
  { binding, classification, proposal }: Approved,
  { hashes }: { readonly hashes: FileHashes },
): Promise<HeldSnapshots> {
  const managed = classification.parts.some(managesPackages);
  // Several names may lead to one file.
  const code = new Map<string, CodeSnapshot>();
  const heldCode: HeldCode[] = [];
  for (const [name, hash] of Object.entries(binding.code)) {
    if (managed && MANIFESTS.has(basename(name))) continue;
    const copy = isUnread(hash) ? undefined : snapshotOf({ path: name, hash }, proposal.roots);
    if (copy) code.set(copy.path, copy);
    const held = copy ? { name, path: copy.path } : await uncopied({ name, hash }, hashes);
    if (held) heldCode.push(held);
  }
  return { code: [...code.values()], heldCode };
}

/** Undefined for what the hub can't read: a run can't either. */
async function uncopied(
  { name, hash }: { readonly name: string; readonly hash: string },
  hashes: FileHashes,
): Promise<HeldCode | undefined> {
  const [path, stamp] = [realPath(name), stampOf(name)];
  // The hash is of what has this stamp: one that was taken before it was read says so.
  if (path === undefined || stamp === undefined || (await hashes.hash(name)) !== hash) throw changedCode(name);
  return isUnread(hash) && !isReadable(path) ? undefined : { name, path, stamp };
}

function changedCode(path: string, cause?: unknown): JailError {
  return new JailError("CODE_CHANGED", `Not started: ${path} changed after the decision`, { cause });
}

/**
 * By the path at which the file itself stands: nothing can be mounted on a link. Undefined when that is outside of the
 * workspace. What is there isn't the run's to change, and perhaps not to read: a link may lead to whatever the hub can read.
 */
function snapshotOf(
  { path, hash }: { readonly path: string; readonly hash: string },
  roots: readonly string[],
): CodeSnapshot | undefined {
  let fd: number;
  try {
    fd = openSync(path, WITHOUT_WAITING);
  } catch (cause) {
    throw changedCode(path, cause);
  }
  try {
    const stat = fstatSync(fd);
    // Of what is open, and not by its name, which may lead elsewhere by now.
    const at = realPath(`/proc/self/fd/${fd}`);
    if (at === undefined || !stat.isFile()) throw changedCode(path);
    if (!roots.some((root) => isInside(at, root)) || stat.size > MAX_BYTES) return undefined;
    const content = readFileSync(fd);
    if (sha256Hex(content) !== hash) throw changedCode(path);
    return { path: at, mode: stat.mode & 0o777, content };
  } finally {
    closeSync(fd);
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function managesPackages({ code = [], effects }: Part): boolean {
  return code.length > 0 && effects.some(({ kind, risk }) => risk !== "safe" && kind !== "executes");
}
