import { strict as assert } from "node:assert";
import type { Preview } from "@countersign/sdk";
import type { News } from "../hub/news.ts";
import { PAUSED } from "../hub/paused-by.ts";
import { HubError } from "../hub-error.ts";
import type { Identity } from "../identity.ts";
import { issuePreviewPermit, type Permit } from "../permit/permit.ts";
import type { PipelineRooms } from "../pipeline.ts";
import type { Considered } from "../propose/consider.ts";
import { Withdrawal } from "../propose/withdrawal.ts";
import { previewDecidedDraft } from "../record/drafts.ts";
import { run } from "../run/run.ts";
import { RunOutput } from "../run/run-output.ts";
import { PreviewStage } from "./preview-stage.ts";
import { previewed } from "./previewed.ts";

/**
 * Tries out what waits for an answer, where it changes nothing. The approval waits as before, and its deadline goes on; when
 * it ends, so does its preview.
 */
export class Previews {
  readonly #rooms: PipelineRooms;
  readonly #running = new Map<string, { readonly withdrawal: Withdrawal; readonly ended: Promise<unknown> }>();

  constructor(rooms: PipelineRooms, news: News) {
    this.#rooms = rooms;
    news.listen((told) => {
      if (told.kind !== "asked") this.#withdraw(told.closed.approvalId, "The approval has ended");
    });
  }

  get running(): number {
    return this.#running.size;
  }

  /** `gone` says that nobody waits for it any more. */
  async preview(approvalId: string, by: Identity, gone?: AbortSignal): Promise<Preview> {
    const considered = previewed(this.#rooms.approvals.considered(approvalId), by.name, this.#rooms.limits);
    this.#refuseNow(approvalId, considered);
    const withdrawal = new Withdrawal();
    const leave = () => withdrawal.withdraw("Whoever asked for the preview went away");
    gone?.addEventListener("abort", leave, { once: true });
    if (gone?.aborted) leave();
    const previewing = this.#run(approvalId, considered, { by, withdrawal });
    this.#running.set(approvalId, { withdrawal, ended: previewing.catch(() => undefined) });
    try {
      return await previewing;
    } finally {
      this.#running.delete(approvalId);
      gone?.removeEventListener("abort", leave);
    }
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

  #refuseNow(approvalId: string, { proposal }: Considered): void {
    const { limits, pausedFor } = this.#rooms;
    const paused = pausedFor(proposal.sessionId);
    if (paused) throw new HubError("UNAUTHORIZED", PAUSED[paused].remedy);
    if (this.#running.has(approvalId)) {
      throw new HubError("LIMIT", "A preview of this is running already (limit: one of each)");
    }
    if (this.#running.size >= limits.previews) {
      throw new HubError("LIMIT", `${this.#running.size} previews are running already (limit: previews)`);
    }
  }

  async #run(
    approvalId: string,
    considered: Considered,
    { by, withdrawal }: { readonly by: Identity; readonly withdrawal: Withdrawal },
  ): Promise<Preview> {
    const { limits, maxOutputBytes } = this.#rooms;
    const permit = await this.#permit(approvalId, considered, by);
    const stage = new PreviewStage();
    const output = new RunOutput(Math.min(maxOutputBytes, limits.previewOutputBytes));
    const outcome = await run(permit, this.#rooms, { withdrawal, output, stage });
    return { approvalId, outcome, ...stage.result() };
  }

  /** That somebody wants it is durable before anything is started. */
  async #permit(approvalId: string, considered: Considered, by: Identity): Promise<Permit> {
    const { store, clock, limits } = this.#rooms;
    const draft = previewDecidedDraft(considered, { approvalId, person: by.name, atMs: clock.wallMs() });
    const commit = await store.commit([{ op: "append", draft }]);
    assert(commit.ok);
    const [entry] = commit.entries;
    assert(entry);
    return issuePreviewPermit({ considered, entry }, clock, limits.permitMs);
  }
}
