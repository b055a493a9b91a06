import { closeSync, openSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Part } from "@countersign/policy";
import { uuidv7 } from "uuidv7";
import { isInside } from "../machine/trusted-path.ts";
import type { Considered } from "../propose/consider.ts";
import { sha256Hex } from "../sha256.ts";
import { JailError } from "./jail-error.ts";

/** A file whose code a run is about to start, as it was when it was bound. */
export interface CodeSnapshot {
  readonly path: string;
  readonly mode: number;
  readonly content: Buffer;
}

/** Larger ones are bound by their hash alone. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Tools that manage packages write these while they run. */
const MANIFESTS = new Set(["package.json", "deno.json", "deno.jsonc", "composer.json", "Gemfile", "Cargo.toml"]);

/**
 * The code that is run is the code that was hashed: each file is read once more, held against its hash, and shown to the run
 * as it was read. Whoever changes the file in the meantime, also the run itself, changes nothing of what it starts.
 */
export function snapshotCode({ binding, classification, proposal }: Considered): CodeSnapshot[] {
  const managed = classification.parts.some(managesPackages);
  const paths = Object.keys(binding.code).filter(
    (path) => proposal.roots.some((root) => isInside(path, root)) && !(managed && MANIFESTS.has(basename(path))),
  );
  return paths.flatMap((path) => {
    const { size, mode } = statSync(path);
    if (size > MAX_BYTES) return [];
    const content = readFileSync(path);
    if (sha256Hex(content) !== binding.code[path]) {
      throw new JailError("CODE_CHANGED", `Not started: ${path} changed after the decision`);
    }
    return [{ path, mode: mode & 0o777, content }];
  });
}

function managesPackages({ code = [], effects }: Part): boolean {
  return code.length > 0 && effects.some(({ kind, risk }) => risk !== "safe" && kind !== "executes");
}

/** A descriptor from which bwrap reads it. The file has no name, so that nobody else can change it and nothing is left. */
export function openSnapshot({ content }: CodeSnapshot, directory: string): number {
  const path = join(directory, `code-${uuidv7()}`);
  const fd = openSync(path, "wx+", 0o600);
  try {
    unlinkSync(path);
    writeFileSync(fd, content);
    // Another description of it: this one stands at its end.
    return openSync(`/proc/self/fd/${fd}`, "r");
  } finally {
    closeSync(fd);
  }
}
