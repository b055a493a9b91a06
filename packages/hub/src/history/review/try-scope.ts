import { setImmediate } from "node:timers/promises";
import type { Limits } from "@countersign/core/base";
import { filterSecretsDeep } from "@countersign/core/redaction";
import { type Circumstances, decide, describeScope, type ScopePlan } from "@countersign/policy";
import type { CoveredCommand, ScopeTrial } from "@countersign/protocol/proposals";
import type { Store } from "@countersign/store";
import { type PlannedAnswer, planAnswer } from "../../answers/index.ts";
import type { Policies } from "../../policies/index.ts";
import type { Considered } from "../../proposals/index.ts";
import { type PastProposal, readPast } from "./history.ts";
import type { JudgedPast } from "./judge-past.ts";
import { isRedacted } from "./replay.ts";

export interface TrialRooms {
  readonly store: Pick<Store, "askedProposals" | "ledgerOf">;
  readonly policies: Policies;
  readonly limits: Limits;
  judge(past: PastProposal): Promise<JudgedPast>;
  /** Whether to stop where it is: its time is over, or nobody waits for it. */
  isOver(): boolean;
}

const MAX_OTHERS = 8;
const MAX_COMMAND = 500;
/** Commands that are judged before others get their turn. */
const TURN = 8;

/** What an answer with this scope would save, and which questions of the past it would have spared. Saves nothing. */
export async function tryScope(considered: Considered, scope: string, rooms: TrialRooms): Promise<ScopeTrial> {
  const planned = planAnswer(considered, scope, rooms.limits);
  if ("refusal" in planned) return { kind: "refused", reason: planned.refusal };
  const { plan, lifeMs } = planned;
  const { entries, grants, note } = plan;
  return {
    kind: "saves",
    scope,
    words: describeScope(planned.scope, plan),
    saves: [...entries.map(({ command, pattern }) => command ?? pattern), ...grants.map(({ root }) => root)],
    entries: [...entries],
    ...(note === undefined ? {} : { note: filterSecretsDeep(note) }),
    ...(lifeMs === undefined ? {} : { lifeMs }),
    past: await coverPast(considered, planned, rooms),
  };
}

type Past = Extract<ScopeTrial, { kind: "saves" }>["past"];
/** Of one command, in one place: whether it is covered is found out once. */
interface Same {
  readonly past: PastProposal;
  readonly isCovered: boolean;
  count: number;
  denied: number;
}

async function coverPast(considered: Considered, { scope, plan }: PlannedAnswer, rooms: TrialRooms): Promise<Past> {
  const { store, limits } = rooms;
  const { profileId, sessionId, command } = considered.proposal;
  const records = await store.askedProposals({ limit: limits.trialProposals });
  const seen = new Map<string, Same>();
  let looked = 0;
  for (const record of records) {
    if (rooms.isOver()) break;
    looked += 1;
    const past = await readPast(record, store);
    if (!past || past.profileId !== profileId || isRedacted(past)) continue;
    if (scope.extent.kind === "session" && past.sessionId !== sessionId) continue;
    const key = JSON.stringify([past.command, past.cwd, past.env, past.roots, past.runsHere, past.enforcement]);
    const known = seen.get(key) ?? { past, isCovered: await isCovered(past, { considered, plan, rooms }), ...NONE };
    known.count += 1;
    known.denied += Number(past.decided?.by === "person" && past.decided.verdict === "deny");
    seen.set(key, known);
    if (seen.size % TURN === 0) await setImmediate();
  }
  const covered = [...seen.values()].filter((same) => same.isCovered);
  const others = covered.filter(({ past }) => past.command !== command);
  const truncated = looked < records.length || records.length === limits.trialProposals;
  return {
    looked,
    truncated,
    covered: sum(covered, "count"),
    denied: sum(covered, "denied"),
    others: others
      .sort((a, b) => b.denied - a.denied || b.count - a.count)
      .slice(0, MAX_OTHERS)
      .map(shown),
    otherCommands: new Set(others.map(({ past }) => past.command)).size,
  };
}

const NONE = { count: 0, denied: 0 };

interface Trial {
  readonly considered: Considered;
  readonly plan: ScopePlan;
  readonly rooms: TrialRooms;
}

/** Asked about as things stand, and allowed with what would be saved. */
async function isCovered(past: PastProposal, { considered, plan, rooms }: Trial): Promise<boolean> {
  const judged = await rooms.judge(past);
  const policy = await rooms.policies.of(past, judged.classification);
  if (!policy.ok) return false;
  const { classification } = judged;
  const circumstances: Circumstances = { ...judged.circumstances, enforcement: enforcementOf(past, considered) };
  if (decide(classification, policy.profile, circumstances).verdict !== "ask") return false;
  return decide(classification, policy.profile, { ...circumstances, allowed: plan }).verdict === "allow";
}

/** What ran here runs in the jail that there is now. */
function enforcementOf(past: PastProposal, { proposal, enforcement }: Considered): Circumstances["enforcement"] {
  return past.runsHere && proposal.executor.kind === "local" ? enforcement : past.enforcement;
}

function sum(all: readonly Same[], key: "count" | "denied"): number {
  return all.reduce((total, same) => total + same[key], 0);
}

function shown({ past: { command, cwd }, count, denied }: Same): CoveredCommand {
  const text = command.length <= MAX_COMMAND ? command : `${command.slice(0, MAX_COMMAND).toWellFormed()}…`;
  return { command: text, cwd, count, denied };
}
