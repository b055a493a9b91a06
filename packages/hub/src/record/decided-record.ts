import { isInside } from "@countersign/core/host/fs";
import { filterSecrets } from "@countersign/core/redaction";
import type { Decision, Effect } from "@countersign/policy";
import type { DecidedRecord } from "@countersign/store";
import type { Considered } from "../proposals/index.ts";
import type { Answerer } from "./drafts.ts";

/** Of one proposal. The card has all of them, as long as it waits. */
const MAX_NAMES = 8;
const MAX_NAME = 256;

const NETWORK = new Set(["network-read", "network-send"]);
const CHANGES = new Set(["writes", "deletes", "persistence"]);

/** What a history tells of a decision. It is kept for good, so nothing in it is a secret. */
export function decidedRecord({
  considered: { proposal, classification, repository },
  decision,
  atMs,
  answerer,
}: {
  readonly considered: Considered;
  readonly decision: Decision;
  readonly atMs: number;
  readonly answerer?: Answerer;
}): DecidedRecord {
  const { effects } = classification;
  return {
    atMs,
    by: decision.by,
    person: answerer?.person ?? null,
    asked: answerer !== undefined,
    verdict: decision.verdict,
    risk: decision.riskLevel,
    agent: proposal.agentName,
    repository: repository === undefined ? null : filterSecrets(repository),
    entries: [...decision.entryIds],
    hosts: named(effects.flatMap(hostOf)),
    outside: named(effects.flatMap((effect) => outsideOf(effect, proposal.roots))),
  };
}

/** What is fetched into a file is about that file, too. */
function hostOf({ kind, target = "any", hosts }: Effect): readonly string[] {
  if (!NETWORK.has(kind)) return [];
  return hosts ?? (target.startsWith("/") ? [] : [target]);
}

/** A file that is no device, and in none of its roots. */
function outsideOf({ kind, target }: Effect, roots: readonly string[]): string[] {
  if (!CHANGES.has(kind) || !target?.startsWith("/") || target.startsWith("/dev/")) return [];
  return roots.some((root) => isInside(target, root)) ? [] : [target];
}

function named(names: readonly string[]): string[] {
  const distinct = [...new Set(names.map((name) => filterSecrets(name).slice(0, MAX_NAME).toWellFormed()))];
  return distinct.slice(0, MAX_NAMES);
}
