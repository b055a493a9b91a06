import type { Clock, Limits } from "@countersign/core/base";
import type { Config, Home } from "@countersign/core/config";
import { HubError } from "@countersign/core/errors";
import type { PastAnswers, ScopeTrial } from "@countersign/protocol/proposals";
import type { AnswerCount, Store } from "@countersign/store";
import { placeOf, shapesOf } from "../../answers/index.ts";
import { type Approvals, aboutRun } from "../../approvals/index.ts";
import type { Policies } from "../../policies/index.ts";
import type { Assessment } from "../../proposals/index.ts";
import { pastJudge } from "./judge-past.ts";
import { ScopeTrials } from "./scope-trials.ts";

interface SimilarAnswersOptions {
  readonly approvals: Approvals;
  readonly store: Store;
  readonly policies: Policies;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly home: Home;
  readonly config: () => Config;
}

/** Tells the approver of a pending command what the history says about it. */
export class SimilarAnswers {
  readonly #approvals: Approvals;
  readonly #store: Store;
  readonly #policies: Policies;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #home: Home;
  readonly #config: () => Config;
  #trials = 0;

  constructor({ approvals, store, policies, clock, limits, home, config }: SimilarAnswersOptions) {
    this.#approvals = approvals;
    this.#store = store;
    this.#policies = policies;
    this.#clock = clock;
    this.#limits = limits;
    this.#home = home;
    this.#config = config;
  }

  /** Counts earlier answers to similar commands. */
  async pastAnswers(approvalId: string): Promise<PastAnswers> {
    const assessment = await this.#assessment(approvalId);
    if (!assessment) return { past: [] };
    const here = placeOf(assessment);
    const { profileId } = assessment.proposal;
    const past = shapesOf(assessment).map(async (shape) => {
      const counts = await this.#store.answerCounts(profileId, shape);
      return {
        shape,
        here: total(counts.filter(({ directory }) => directory === here)),
        elsewhere: total(counts.filter(({ directory }) => directory !== here)),
        lastAtMs: counts[0]?.lastAtMs ?? null,
      };
    });
    return { past: await Promise.all(past) };
  }

  /** Tries a scope without saving it. Bounded in time and number; `gone` aborts it. */
  async tryScope(approvalId: string, scope: string, gone?: AbortSignal): Promise<ScopeTrial> {
    const assessment = await this.#assessment(approvalId);
    if (!assessment) return { kind: "refused", reason: "Only a command can be allowed more than once" };
    if (this.#trials >= this.#limits.trials) {
      throw new HubError("LIMIT", "Other scopes are being tried; ask again when they are done (limit: trials)");
    }
    this.#trials += 1;
    const endMs = this.#clock.monotonicMs() + this.#limits.trialMs;
    const isOver = () => gone?.aborted === true || this.#clock.monotonicMs() >= endMs;
    const judge = pastJudge({ home: this.#home, config: this.#config() }, this.#clock.wallMs());
    try {
      return await new ScopeTrials(this.#store, this.#policies, this.#limits, judge).try(assessment, scope, isOver);
    } finally {
      this.#trials -= 1;
    }
  }

  async #assessment(approvalId: string): Promise<Assessment | undefined> {
    return await aboutRun(this.#approvals.question(approvalId))?.assessment();
  }
}

function total(counts: readonly AnswerCount[]): { allowed: number; denied: number } {
  return counts.reduce(
    (sum, { allowed, denied }) => ({ allowed: sum.allowed + allowed, denied: sum.denied + denied }),
    { allowed: 0, denied: 0 },
  );
}
