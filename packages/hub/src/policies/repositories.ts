import { existsSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFileAtomically } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { findRepository } from "@countersign/core/host";
import { type LayerBlock, readLayer } from "@countersign/policy";
import type { Json } from "@countersign/receipts";
import type { Store, Write } from "@countersign/store";
import * as z from "zod";
import { applyEdit, type ProfileEdit, refuseSecrets } from "./profile-edit.ts";
import { readPolicyFile } from "./read-policy-file.ts";

const FOLDER = ".countersign";

export function repositoryFile(directory: string): string {
  return join(directory, FOLDER, "policy.json");
}

/** `.countersign/policy.json` of a directory. */
export interface RepositoryFile {
  /** What it speaks for. */
  readonly directory: string;
  readonly file: string;
  readonly reading:
    | { readonly ok: true; readonly block: LayerBlock; readonly sha256: string }
    | { readonly ok: false; readonly problem: string };
}

interface Known {
  readonly stamp: string;
  readonly found: RepositoryFile | undefined;
}

/** Two writes within one tick of the kernel's clock leave the same stamp; a file so young is read again. */
const TICK_MS = 50;
const MAX_KNOWN = 1_024;

/** The policies of repositories, each read once as long as it doesn't change. */
export class RepositoryFiles {
  readonly #home: string;
  readonly #known = new Map<string, Known>();

  /** `home` is Countersign's own, which may be called `.countersign` too. */
  constructor(home: string) {
    this.#home = home;
  }

  /**
   * All that lie on the way from these directories up to the root, the nearest first. All, and not the nearest alone, nor only
   * up to the workspace: whoever proposes chooses where, and must not be able to leave a denial behind by going deeper.
   */
  find(directories: readonly string[]): RepositoryFile[] {
    const seen = new Set<string>();
    const found: RepositoryFile[] = [];
    for (const start of directories) {
      for (let at = start; !seen.has(at); at = dirname(at)) {
        seen.add(at);
        const file = this.#look(at);
        if (file) found.push(file);
      }
    }
    return found;
  }

  #look(directory: string): RepositoryFile | undefined {
    if (join(directory, FOLDER) === this.#home) return undefined;
    const file = repositoryFile(directory);
    const stamp = stampOf(file);
    if (stamp === undefined) return undefined;
    const known = this.#known.get(file);
    if (known?.stamp === stamp) return known.found;
    const found = readRepositoryFile(directory);
    this.#known.delete(file);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    if (stamp !== UNKNOWN && stampOf(file) === stamp) this.#known.set(file, { stamp, found });
    return found;
  }
}

export function readRepositoryFile(directory: string): RepositoryFile | undefined {
  const file = repositoryFile(directory);
  const content = readPolicyFile(file);
  if (content.kind === "absent") return undefined;
  if (content.kind === "broken") return { directory, file, reading: { ok: false, problem: content.problem } };
  const layer = readLayer(content.value, directory);
  if (layer.ok) return { directory, file, reading: { ok: true, block: layer.block, sha256: content.sha256 } };
  const problem = `${file} is invalid: ${layer.problems.slice(0, 5).join("; ")}`;
  return { directory, file, reading: { ok: false, problem } };
}

/** Something is there, and it must be looked at each time. */
const UNKNOWN = "";

/** Undefined only where there's certainly nothing. */
function stampOf(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    if (Date.now() - Number(stat.ctimeMs) < TICK_MS) return UNKNOWN;
    return `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
  } catch {
    // No permission, a loop: reading says what it is.
    return UNKNOWN;
  }
}

const PREFIX = "repository.";
const SUFFIX = ".trusted";
const MAX_TOLD = 200;

/** Who trusted which content of a repository's file. The block is kept to tell what a change would newly allow. */
const trustSchema = z.object({
  sha256: z.string(),
  by: z.string(),
  atMs: z.number(),
  block: z.custom<LayerBlock>((value) => typeof value === "object" && value !== null),
});
export type Trust = z.infer<typeof trustSchema>;

/** Undefined where nobody trusted it, or somebody took the trust back. */
export async function trustIn(directory: string, store: Pick<Store, "setting">): Promise<Trust | undefined> {
  const reading = trustSchema.safeParse(await store.setting(keyOf(directory)));
  return reading.success ? reading.data : undefined;
}

/** Directories that somebody trusted at some time; a few. */
export async function everTrusted(store: Pick<Store, "settingKeys">): Promise<string[]> {
  const keys = await store.settingKeys({ prefix: PREFIX, limit: MAX_TOLD });
  return keys.filter((key) => key.endsWith(SUFFIX)).map((key) => key.slice(PREFIX.length, -SUFFIX.length));
}

/** `trust` null takes it back. */
export function trustWrite(directory: string, trust: Trust | null): Write {
  return { op: "put-setting", key: keyOf(directory), value: trust as unknown as Json };
}

function keyOf(directory: string): string {
  return `${PREFIX}${directory}${SUFFIX}`;
}

/** Whose policy a directory belongs to: the nearest that has a file, else the repository around it, else itself. */
export function repositoryFor(directory: string): string {
  for (let at = directory; at !== dirname(at); at = dirname(at)) if (existsSync(repositoryFile(at))) return at;
  return findRepository(directory, ["/"]) ?? directory;
}

/** Changes a repository's own policy. What it then denies applies at once; what it allows has to be trusted anew. */
export async function editRepository(directory: string, edit: ProfileEdit): Promise<string> {
  refuseSecrets([...(edit.allow ?? []), ...(edit.deny ?? [])]);
  const file = repositoryFile(directory);
  const content = readPolicyFile(file);
  if (content.kind === "broken") throw new HubError("CONFLICT", `It can't be changed: ${content.problem}`);
  const { execApproval = {}, ...rest } = Object(content.kind === "read" ? content.value : {}) as {
    execApproval?: object;
  };
  const block = applyEdit(execApproval, edit);
  if (
    edit.remove !== undefined &&
    JSON.stringify(block) === JSON.stringify(applyEdit(execApproval, { allow: [], deny: [] }))
  )
    throw new HubError("NOT_FOUND", `${file} has no entry ${JSON.stringify(edit.remove)}`);
  const next = { ...rest, execApproval: block };
  const reading = readLayer(next, directory);
  if (!reading.ok) throw new HubError("INVALID_PARAMS", `${file} would be invalid: ${reading.problems.join("; ")}`);
  await mkdir(join(file, ".."), { recursive: true });
  // Part of the repository: readable by whoever may read that.
  await writeFileAtomically(file, `${JSON.stringify(next, null, 2)}\n`, 0o644);
  return file;
}
