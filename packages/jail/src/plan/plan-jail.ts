import type { Classification, Effect, Part } from "@countersign/policy";
import type { Jail } from "@countersign/vocabulary";

export type JailKind = Exclude<Jail, "none">;

/** Which hosts a run may reach, if any. Exact names, `*.` before one for all that end so, or any that isn't this machine. */
type Hosts = readonly string[] | "any";

/** What a run's jail lets through, cut from what the command was predicted to do. */
export interface JailPlan {
  readonly kind: JailKind;
  readonly hosts: Hosts;
  /** A git command that writes: `.git` is open to it, though not what starts code there. */
  readonly opensGit: boolean;
  /** Files and directories outside the workspace that it was predicted to read. */
  readonly reads: readonly string[];
  /** What it was predicted to change, by path: shown writable in an open jail; lifts the pin of a place that starts code. */
  readonly writes: readonly string[];
  /** What it was predicted to delete, with all that is in it: the same, but for what stands there afterwards. */
  readonly removes: readonly string[];
}

/** From narrow to wide. */
const WIDTH: Record<JailKind, number> = { "read-only": 0, "read-only+network": 1, workspace: 2, open: 3 };

export function isWider(kind: JailKind, than: JailKind): boolean {
  return WIDTH[kind] > WIDTH[than];
}

const NETWORK = new Set(["network-read", "network-send"]);
const CHANGES = new Set(["writes", "persistence", "history-rewrite"]);

/**
 * The prediction is the jail. Whoever decides, the cut is the same: what was let through as safe gets a read-only jail,
 * all else the workspace; only a person's own choice (`chosen`) makes another kind of it.
 */
export function planJail(classification: Classification, chosen?: JailKind): JailPlan {
  const { effects, parts, riskLevel } = classification;
  const network = effects.filter(({ kind }) => NETWORK.has(kind));
  const kind = chosen ?? kindFor(riskLevel === "safe", network.length > 0);
  return {
    kind,
    hosts: kind === "open" ? "any" : kind === "read-only" ? [] : hostsOf(network),
    opensGit: kind !== "read-only" && kind !== "read-only+network" && parts.some(changesGit),
    reads: targetsOf(effects, (effect) => effect.kind === "reads" && effect.risk === "safe"),
    writes: targetsOf(effects, (effect) => CHANGES.has(effect.kind)),
    removes: targetsOf(effects, (effect) => effect.kind === "deletes"),
  };
}

function kindFor(safe: boolean, network: boolean): JailKind {
  if (!safe) return "workspace";
  return network ? "read-only+network" : "read-only";
}

/** A service's are named, if any is known. Of what else isn't known all are open, and somebody was asked about it. */
function hostsOf(network: readonly Effect[]): Hosts {
  const hosts = new Set<string>();
  for (const { target, hosts: named } of network) {
    for (const host of named ?? []) hosts.add(host);
    if (named !== undefined) continue;
    if (target === undefined) return "any";
    hosts.add(target);
  }
  return [...hosts];
}

/** Whether git is one of its programs. */
export function usesGit({ parts }: Classification): boolean {
  return parts.some(isGit);
}

function changesGit(part: Part): boolean {
  return isGit(part) && part.effects.some(({ risk }) => risk !== "safe");
}

function isGit({ words: [name] }: Part): boolean {
  return name != null && /(?:^|\/)git$/.test(name);
}

function targetsOf(effects: readonly Effect[], wanted: (effect: Effect) => boolean): string[] {
  const targets = effects.filter(wanted).flatMap(({ target }) => (target?.startsWith("/") ? [target] : []));
  return [...new Set(targets)];
}
