import { setImmediate } from "node:timers/promises";
import type { Limits } from "@countersign/core/base";
import { filterSecretsDeep } from "@countersign/core/redaction";
import { type Circumstances, decide, describeScope, type ScopePlan } from "@countersign/policy";
import type { CoveredCommand, ScopeTrial } from "@countersign/protocol/proposals";
import type { Store } from "@countersign/store";
import { type PlannedAnswer, planAnswer } from "../../answers/index.ts";
import type { Policies } from "../../policies/index.ts";
import type { Assessment } from "../../proposals/index.ts";
import type { JudgedPast } from "./judge-past.ts";
import { type PastProposal, readPast } from "./past-proposals.ts";
import { isRedacted } from "./replay.ts";

const MAX_OTHERS = 8;
const MAX_COMMAND = 500;
/** Commands judged before other work gets its turn. */
const TURN = 8;

type Past = Extract<ScopeTrial, { kind: "saves" }>["past"];
/** The same command in the same place is judged once. */
interface Same {
  readonly past: PastProposal;
  readonly isCovered: boolean;
  count: number;
  denied: number;
}

const NONE = { count: 0, denied: 0 };

/** Finds out what an answer with a scope would save, and which earlier questions it would have spared. Saves nothing. */
export class ScopeTrials {
  readonly #store: Store;
  readonly #policies: Policies;
  readonly #limits: Limits;
  readonly #judge: (past: PastProposal) => Promise<JudgedPast>;

  constructor(store: Store, policies: Policies, limits: Limits, judge: (past: PastProposal) => Promise<JudgedPast>) {
    this.#store = store;
    this.#policies = policies;
    this.#limits = limits;
    this.#judge = judge;
  }

  /** `isOver` says when to stop early: the time is up, or nobody waits for the result. */
  async try(assessment: Assessment, scope: string, isOver: () => boolean): Promise<ScopeTrial> {
    const planned = planAnswer(assessment, scope, this.#limits);
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
      past: await this.#coverPast(assessment, planned, isOver),
    };
  }

  async #coverPast(assessment: Assessment, { scope, plan }: PlannedAnswer, isOver: () => boolean): Promise<Past> {
    const { profileId, sessionId, command } = assessment.proposal;
    const records = await this.#store.askedProposals({ limit: this.#limits.trialProposals });
    const seen = new Map<string, Same>();
    let looked = 0;
    for (const record of records) {
      if (isOver()) break;
      looked += 1;
      const past = await readPast(record, this.#store);
      if (!past || past.profileId !== profileId || isRedacted(past)) continue;
      if (scope.extent.kind === "session" && past.sessionId !== sessionId) continue;
      const key = JSON.stringify([past.command, past.cwd, past.env, past.roots, past.runsHere, past.enforcement]);
      const known = seen.get(key) ?? { past, isCovered: await this.#isCovered(past, assessment, plan), ...NONE };
      known.count += 1;
      known.denied += Number(past.decided?.by === "person" && past.decided.verdict === "deny");
      seen.set(key, known);
      if (seen.size % TURN === 0) await setImmediate();
    }
    const covered = [...seen.values()].filter((same) => same.isCovered);
    const others = covered.filter(({ past }) => past.command !== command);
    const truncated = looked < records.length || records.length === this.#limits.trialProposals;
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

  /** Whether it would be asked about today, and allowed with the saved plan. */
  async #isCovered(past: PastProposal, assessment: Assessment, plan: ScopePlan): Promise<boolean> {
    const judged = await this.#judge(past);
    const policy = await this.#policies.of(past, judged.classification);
    if (!policy.ok) return false;
    const { classification } = judged;
    const circumstances: Circumstances = { ...judged.circumstances, enforcement: enforcementOf(past, assessment) };
    if (decide(classification, policy.profile, circumstances).verdict !== "ask") return false;
    return decide(classification, policy.profile, { ...circumstances, allowed: plan }).verdict === "allow";
  }
}

/** Commands that ran here would run in today's jail. */
function enforcementOf(past: PastProposal, { proposal, enforcement }: Assessment): Circumstances["enforcement"] {
  return past.runsHere && proposal.executor.kind === "local" ? enforcement : past.enforcement;
}

function sum(all: readonly Same[], key: "count" | "denied"): number {
  return all.reduce((total, same) => total + same[key], 0);
}

function shown({ past: { command, cwd }, count, denied }: Same): CoveredCommand {
  const text = command.length <= MAX_COMMAND ? command : `${command.slice(0, MAX_COMMAND).toWellFormed()}…`;
  return { command: text, cwd, count, denied };
}
