import { statSync } from "node:fs";
import { sha256Hex } from "@countersign/core/base";
import type { FileHashes } from "@countersign/core/host";
import { realPathAsFarAsItExists, type TrustedPath } from "@countersign/core/host/fs";
import { changedOpening } from "@countersign/jail";
import type { Classification, Profile } from "@countersign/policy";
import { canonicalize } from "@countersign/receipts";
import { saltedHash } from "@countersign/store";
import type { Jail } from "@countersign/vocabulary";
import { type CodeHashes, gatherCode } from "./code-files.ts";
import { addedEnv, sanitizedEnv } from "./environment.ts";
import type { Proposal } from "./proposal.ts";

/** What an approval is about, to the byte. A permit holds for exactly this. */
export interface Binding {
  readonly command: string;
  readonly cwd: string;
  /** Hash of the whole environment that the child gets. */
  readonly env: string;
  /** SHA-256 of each program that the command names, by path; the shell's own is among them. */
  readonly programs: { readonly [path: string]: string };
  /** SHA-256 of each file whose code is about to run, by path. */
  readonly code: { readonly [path: string]: string };
  readonly jail: Jail;
  readonly policyVersion: string;
  /** Files outside of the workspace that the jail opens for writing: which each of them is. Absent if there's none. */
  readonly opens?: { readonly [path: string]: string };
}

interface BindingFacts {
  readonly classification: Classification;
  readonly policyVersion: string;
  readonly profile: Profile | null;
  readonly jail: Jail;
  /** Where it was gathered already. */
  readonly code?: CodeHashes;
}

/** Looks at the machine as it is now: when a proposal is assessed, and again just before it starts. */
export class Binder {
  readonly #shell: string;
  readonly #trustedPath: TrustedPath;
  readonly #hashes: FileHashes;

  constructor(shell: string, trustedPath: TrustedPath, hashes: FileHashes) {
    this.#shell = shell;
    this.#trustedPath = trustedPath;
    this.#hashes = hashes;
  }

  async bind(proposal: Proposal, facts: BindingFacts): Promise<Binding> {
    const programs = new Set([this.#shell]);
    for (const part of facts.classification.parts) {
      const name = part.words[0];
      const program =
        part.builtin || part.toolCall || part.elsewhere || name == null ? undefined : this.#trustedPath.resolve(name);
      if (program) programs.add(program);
    }
    const code = facts.code ?? (await gatherCode(facts.classification.parts, proposal.cwd, this.#hashes));
    const env = sanitizedEnv(this.#trustedPath.toString(), addedEnv(facts.profile, proposal));
    return {
      command: proposal.command,
      cwd: currentDirectory(proposal.cwd),
      env: `sha256:${sha256Hex(canonicalize(env))}`,
      programs: await hashAll(programs, this.#hashes),
      code: onlyFiles(code),
      jail: facts.jail,
      policyVersion: facts.policyVersion,
    };
  }
}

export function bindingHash(binding: Binding, salt: string | undefined): string {
  return saltedHash(canonicalize(binding), salt);
}

/** What differs, in words for the outcome; undefined when nothing that matters does. The policy version is judged apart. */
export function difference(bound: Binding, now: Binding): string | undefined {
  if (bound.command !== now.command) return "the command";
  if (bound.cwd !== now.cwd) return `the working directory ${bound.cwd}`;
  if (bound.env !== now.env) return "the environment";
  if (bound.jail !== now.jail) return "the jail";
  return changedFile(bound.programs, now.programs) ?? changedFile(bound.code, now.code) ?? changedOpening(bound.opens);
}

function changedFile(bound: Binding["code"], now: Binding["code"]): string | undefined {
  const paths = new Set([...Object.keys(bound), ...Object.keys(now)]);
  return [...paths].find((path) => bound[path] !== now[path]);
}

async function hashAll(paths: Iterable<string>, hashes: FileHashes): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const path of [...paths].sort()) {
    const hash = await hashes.hash(path);
    if (hash !== undefined) found[path] = hash;
  }
  return found;
}

function onlyFiles(code: CodeHashes): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [path, hash] of [...code].sort(([a], [b]) => (a < b ? -1 : 1))) if (hash !== null) found[path] = hash;
  return found;
}

/** Empty when it vanished or became something else, which then differs from what was bound. */
function currentDirectory(cwd: string): string {
  const real = realPathAsFarAsItExists(cwd);
  return real !== undefined && statSync(real, { throwIfNoEntry: false })?.isDirectory() ? real : "";
}
