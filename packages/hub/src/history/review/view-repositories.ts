import { redactSentence } from "@countersign/core/redaction";
import { describeLayerChange, type LayerBlock } from "@countersign/policy";
import { ceilingWords } from "@countersign/protocol/describe";
import type { RepositoryPolicy } from "@countersign/protocol/policy";
import type { Store } from "@countersign/store";
import { type RepositoryFile, readRepositoryFile, repositoryFile, type Trust, trustIn } from "../../policies/index.ts";

/** Limit of patterns and changes shown of a file. */
const MAX_SHOWN = 200;

/** Returns these directories' own policies, and whether they are trusted. */
export async function viewRepositories(
  directories: readonly string[],
  store: Pick<Store, "setting">,
): Promise<RepositoryPolicy[]> {
  const found = await Promise.all(
    directories.map(async (directory) => {
      const trust = await trustIn(directory, store);
      return viewRepository(directory, readRepositoryFile(directory), trust);
    }),
  );
  return found.flatMap((one) => one ?? []);
}

function viewRepository(
  directory: string,
  found: RepositoryFile | undefined,
  trust: Trust | undefined,
): RepositoryPolicy | undefined {
  const about = { directory, file: repositoryFile(directory), ...(trust ? { by: trust.by, atMs: trust.atMs } : {}) };
  const nothing = { allows: [], denies: [], changes: [], leftOut: 0 };
  if (!found) return trust && { ...about, ...nothing, state: "gone" };
  const { reading } = found;
  if (!reading.ok) return { ...about, ...nothing, state: "broken", problem: redactSentence(reading.problem) };
  const { block, sha256 } = reading;
  const state = stateOf(block, sha256, trust);
  const changes =
    state === "trusted" || state === "denies" ? [] : describeLayerChange(trust?.block, block, ceilingWords);
  const redact = (texts: readonly string[]) => texts.slice(0, MAX_SHOWN).map(redactSentence);
  const patterns = (list: LayerBlock["allowlist"]) => redact(list.map(({ pattern, command }) => command ?? pattern));
  const lists = { allows: patterns(block.allowlist), denies: patterns(block.denylist), changes: redact(changes) };
  const cut = [block.allowlist, block.denylist, changes].map(({ length }) => Math.max(0, length - MAX_SHOWN));
  const leftOut = cut.reduce((sum, count) => sum + count, 0);
  return { ...about, ...lists, leftOut, state, sha256 };
}

function stateOf({ allowlist }: LayerBlock, sha256: string, trust: Trust | undefined): RepositoryPolicy["state"] {
  if (trust?.sha256 === sha256) return "trusted";
  if (allowlist.length === 0) return "denies";
  return trust ? "changed" : "untrusted";
}
