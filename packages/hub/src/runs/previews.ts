import { strict as assert } from "node:assert";
import type { Clock, Identity, Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { type JailPlan, RunOutput, Withdrawal, watchGrowth } from "@countersign/jail";
import type { Preview } from "@countersign/protocol/proposals";
import type { Store } from "@countersign/store";
import { refuseUnsure } from "../answers/index.ts";
import { type Approvals, aboutRun } from "../approvals/index.ts";
import type { News } from "../events/index.ts";
import { type Assurance, nonceWrites, refuseReplay } from "../identity/index.ts";
import { issuePreviewPermit, type Permit } from "../permits/index.ts";
import { PAUSED, type PausedBy, type Question } from "../policies/index.ts";
import type { Assessment } from "../proposals/index.ts";
import { previewDecidedDraft } from "../record/index.ts";
import { OpenPreviews, type PreviewPlace } from "./open-previews.ts";
import { PreviewMode } from "./preview-mode.ts";
import type { Runner } from "./run.ts";

/** Who has it tried out. */
interface Asker {
  readonly by: Identity;
  /** Where only a device's word would allow the command, nothing less has its code run here. */
  assure(): Promise<Assurance>;
  readonly withdrawal: Withdrawal;
}

export interface PreviewCall {
  /** Nobody waits for it any more. */
  readonly gone?: AbortSignal | undefined;
  /** Looks at who asks; by then it can be cancelled. */
  assure?(): Promise<Assurance>;
}

const byToken = (): Promise<Assurance> => Promise.resolve({ level: "token" });

/**
 * Tries out what waits for an answer, where it changes nothing. The approval waits as before, and its deadline goes on; when
 * it ends, so does its preview.
 */
export class Previews {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #maxOutputBytes: number;
  readonly #approvals: Pick<Approvals, "question">;
  readonly #runner: Runner;
  readonly #pausedFor: (sessionId: string) => PausedBy | undefined;
  readonly #open = new OpenPreviews();
  readonly #running = new Map<string, { readonly withdrawal: Withdrawal; readonly ended: Promise<unknown> }>();

  constructor(options: {
    readonly store: Store;
    readonly clock: Clock;
    readonly limits: Limits;
    readonly maxOutputBytes: number;
    readonly approvals: Pick<Approvals, "question">;
    readonly news: News;
    readonly runner: Runner;
    readonly pausedFor: (sessionId: string) => PausedBy | undefined;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#maxOutputBytes = options.maxOutputBytes;
    this.#approvals = options.approvals;
    this.#runner = options.runner;
    this.#pausedFor = options.pausedFor;
    options.news.listen((told) => {
      if ("closed" in told) this.#withdraw(told.closed.approvalId, "The approval has ended");
    });
  }

  get running(): number {
    return this.#running.size;
  }

  async preview(approvalId: string, by: Identity, call: PreviewCall = {}): Promise<Preview> {
    const { gone, assure = byToken } = call;
    const question = this.#approvals.question(approvalId);
    this.#refuseNow(question);
    const withdrawal = new Withdrawal();
    const leave = () => withdrawal.withdraw("Whoever asked for the preview went away");
    gone?.addEventListener("abort", leave, { once: true });
    if (gone?.aborted) leave();
    const previewing = this.#run(question, { by, assure, withdrawal });
    this.#running.set(approvalId, { withdrawal, ended: previewing.catch(() => undefined) });
    try {
      return await previewing;
    } finally {
      this.#running.delete(approvalId);
      gone?.removeEventListener("abort", leave);
    }
  }

  /** One that runs ends; that none does is no failure, since it may just have ended. */
  cancel(approvalId: string, by: Identity): void {
    this.#withdraw(approvalId, `Ended by ${by.name}`);
  }

  /** Ends all, and waits until they have ended. */
  async close(): Promise<void> {
    const ended = [...this.#running.values()].map((one) => one.ended);
    this.withdrawAll("Countersign is shutting down");
    await Promise.all(ended);
  }

  /** What runs is signalled before this returns. */
  withdrawAll(reason: string): void {
    for (const approvalId of this.#running.keys()) this.#withdraw(approvalId, reason);
  }

  #withdraw(approvalId: string, reason: string): void {
    this.#running.get(approvalId)?.withdrawal.withdraw(reason);
  }

  #refuseNow({ approvalId, sessionId }: Question): void {
    const paused = this.#pausedFor(sessionId);
    if (paused) throw new HubError("UNAUTHORIZED", PAUSED[paused].remedy);
    if (this.#running.has(approvalId)) {
      throw new HubError("LIMIT", "A preview of this is running already (limit: one of each)");
    }
    if (this.#running.size >= this.#limits.previews) {
      throw new HubError("LIMIT", `${this.#running.size} previews are running already (limit: previews)`);
    }
  }

  async #run(question: Question, asker: Asker): Promise<Preview> {
    const { approvalId } = question;
    const assessment = previewed(await aboutRun(question)?.assessment(), asker.by.name, this.#limits);
    const { withdrawal } = asker;
    const { key: proposalKey, sessionId } = assessment.proposal;
    const place = { approvalId, proposalKey, sessionId };
    const permit = await this.#permit(place, assessment, asker);
    const clock = this.#clock;
    const mode = new PreviewMode(place, { store: this.#store, clock, open: this.#open, withdrawal });
    const output = new RunOutput(Math.min(this.#maxOutputBytes, this.#limits.previewOutputBytes));
    const stop = watchGrowth(mode, { clock, withdrawal });
    const outcome = await this.#runner.run(permit, { withdrawal, output, mode }).finally(stop);
    return { approvalId, outcome, ...mode.result() };
  }

  /** That somebody wants it is durable before anything is started. */
  async #permit(place: PreviewPlace, assessment: Assessment, { by, assure }: Asker): Promise<Permit> {
    const assurance = await assure();
    refuseUnsure(assessment, assurance);
    const { approvalId } = place;
    const atMs = this.#clock.wallMs();
    const draft = previewDecidedDraft(assessment, { approvalId, person: by.name, assurance, atMs });
    const append = { op: "append", draft } as const;
    const entry = await this.#open.begin(place, async (write) => {
      const commit = await this.#store.commit([...nonceWrites(assurance, atMs), append, write]);
      refuseReplay(commit);
      return commit.entries[0];
    });
    assert(entry);
    return issuePreviewPermit({ assessment, entry }, this.#clock, this.#limits.permitMs);
  }
}

/**
 * The same proposal as it is run for a preview: in a jail that writes to the workspace or to nothing, without network and so
 * without anything lent. Refuses what this hub wouldn't run in a jail.
 */
function previewed(assessment: Assessment | undefined, person: string, limits: Limits): Assessment {
  const reason = assessment ? whyNot(assessment) : "it is about a change of the policy";
  if (!assessment?.cut || reason !== undefined) {
    throw new HubError("INVALID_PARAMS", `There's no preview of this: ${reason ?? "nothing here runs in a jail"}`);
  }
  const cut = narrowed(assessment.cut);
  const { proposal, binding, decision } = assessment;
  return {
    ...assessment,
    cut,
    jail: cut.kind,
    binding: { ...binding, jail: cut.kind },
    proposal: { ...proposal, runTimeoutMs: Math.min(proposal.runTimeoutMs, limits.previewMs) },
    decision: { ...decision, verdict: "allow", by: "person", reason: `Previewed by ${person}` },
  };
}

function whyNot({ proposal, enforcement }: Assessment): string | undefined {
  if (proposal.executor.kind !== "local") return "the agent runs it itself";
  return enforcement === "jail" ? undefined : "nothing here runs in a jail";
}

function narrowed(cut: JailPlan): JailPlan {
  const writes = cut.kind === "workspace" || cut.kind === "open";
  return { ...cut, kind: writes ? "workspace" : "read-only", hosts: [] };
}
