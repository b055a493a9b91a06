import {
  type Answer,
  type AnswerResult,
  APPROVAL_NOT_FOUND,
  type Decider,
  type ExecApprovalRequestPayload,
  type ScopeOffer,
} from "@countersign/sdk";
import type { Clock } from "../clock.ts";
import { HubError } from "../hub-error.ts";
import type { Identity } from "../identity.ts";
import type { Limits } from "../limits.ts";
import type { Log } from "../log.ts";
import type { Considered } from "../propose/consider.ts";
import { filterSecrets } from "../secrets/filter-secrets.ts";
import type { ApprovalRecord } from "../store/records.ts";
import { type Commit, type Store, StoreError, type Write } from "../store/store.ts";
import { keptOf } from "./approval-record.ts";
import { Deadlines } from "./deadlines.ts";
import type { Assurance } from "./devices.ts";
import type { ApprovalNews, News } from "./news.ts";
import { nonceWrites } from "./nonce.ts";
import type { Presence } from "./presence.ts";

/** How an approval came to its end. */
export type Settlement =
  | { readonly how: "answered"; readonly answer: Answer; readonly by: Identity; readonly assurance: Assurance }
  /** `delivered` is false when it reached nobody who could have answered. */
  | { readonly how: "expired"; readonly delivered: boolean }
  | { readonly how: "cancelled" | "shutdown"; readonly reason: string };

/**
 * What an approval is about. The approvals own waiting, deadlines and who wins; the question owns what a settlement
 * means.
 */
export interface Question {
  readonly approvalId: string;
  readonly sessionId: string;
  readonly expiresAtMs: number;
  /** Time to live by the monotonic clock. */
  readonly liveMs: number;
  /** What this settlement means; may refuse an answer with a HubError, which then changes nothing. */
  settle(settlement: Settlement): Settling | Promise<Settling>;
  /** Called when the settlement could not be made durable: nobody may act on it. */
  failed(cause: unknown): void;
  /** The ways to allow it more than once, the narrowest first. */
  scopes?(): readonly ScopeOffer[];
  /** What would be run; undefined where it is about something else. */
  readonly considered?: Considered;
  /** Its card with nothing hidden. */
  revealed(card: ExecApprovalRequestPayload): ExecApprovalRequestPayload;
}

export interface Settling {
  /** What or who settled it, for those who saw the question. */
  readonly by: Decider;
  /** Committed together with closing the approval. */
  readonly writes: readonly Write[];
  /** Called when this settlement won and is durable. What it returns is added to the answer. */
  done(commit: Commit & { ok: true }): Promise<Partial<AnswerResult>> | Partial<AnswerResult>;
}

/** Checks an answer's signature, if it has one, against the card; see Devices. */
type Assure = (answer: Answer, card: () => Promise<ApprovalRecord>, by: Identity) => Promise<Assurance>;
const byToken: Assure = () => Promise.resolve({ level: "token" });

type Viewer = Pick<Identity, "role">;
const APPROVER: Viewer = { role: "approver" };

interface Waiting {
  readonly question: Question;
  /** What is written over the card when it is closed. */
  readonly kept: ReturnType<typeof keptOf>;
  delivered: boolean;
}

export class Approvals {
  readonly #store: Store;
  readonly #limits: Limits;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #deadlines: Deadlines;
  readonly #news: News;
  readonly #presence: Presence;
  readonly #waiting = new Map<string, Waiting>();
  /** Waiting and about to wait, in all and by session: what the limits count. */
  #reserved = 0;
  readonly #bySession = new Map<string, number>();

  constructor(rooms: { store: Store; clock: Clock; limits: Limits; log: Log; news: News; presence: Presence }) {
    this.#store = rooms.store;
    this.#limits = rooms.limits;
    this.#log = rooms.log;
    this.#clock = rooms.clock;
    this.#news = rooms.news;
    this.#presence = rooms.presence;
    this.#deadlines = new Deadlines(rooms.clock, (id) => this.#expire(id));
  }

  get pending(): number {
    return this.#waiting.size;
  }

  /**
   * Opens a question: durable before it can be seen, listed or answered. `writes` are committed with it.
   * A commit that refuses is returned, and nothing waits. The card itself stays in the store: thousands may wait.
   */
  async open(question: Question, card: ApprovalRecord, writes: readonly Write[]): Promise<Commit> {
    const { sessionId } = question;
    this.#reserve(sessionId);
    try {
      const commit = await this.#store.commit([...writes, { op: "insert-approval", approval: card }]);
      if (commit.ok) {
        this.#wait(question, card);
        this.#news.tell({ kind: "asked", card: card.payload as unknown as ExecApprovalRequestPayload });
      } else {
        this.#release(sessionId);
      }
      return commit;
    } catch (cause) {
      this.#release(sessionId);
      throw cause;
    }
  }

  /** Takes up a question that the store already holds, after a restart. */
  resume(question: Question, card: ApprovalRecord): void {
    this.#count(question.sessionId, 1);
    this.#wait(question, card);
  }

  isWaiting(approvalId: string): boolean {
    return this.#waiting.has(approvalId);
  }

  /** What waits, oldest first. For somebody who may answer, listing is a delivery. */
  async list(
    page: { readonly after?: string; readonly limit: number },
    viewer: Viewer = APPROVER,
  ): Promise<ExecApprovalRequestPayload[]> {
    const limit = Math.min(page.limit, this.#limits.pageSize);
    const live: ApprovalRecord[] = [];
    for (let { after } = page; ; ) {
      const records = await this.#store.pendingApprovals({ limit, ...(after === undefined ? {} : { after }) });
      // A row that nobody waits for (its settlement is being written) isn't shown, and doesn't shorten the page.
      live.push(...records.filter((record) => this.#waiting.has(record.id)).slice(0, limit - live.length));
      if (live.length === limit || records.length < limit) break;
      after = records.at(-1)?.id;
    }
    if (viewer.role === "approver") await this.#looked(live.map((record) => record.id));
    return live.map((record) => record.payload as unknown as ExecApprovalRequestPayload);
  }

  async get(approvalId: string, viewer: Viewer = APPROVER): Promise<ExecApprovalRequestPayload> {
    const card = await this.#card(approvalId);
    if (viewer.role === "approver") await this.#looked([approvalId]);
    return card.payload as unknown as ExecApprovalRequestPayload;
  }

  /** The ways to allow more than this once; none for what isn't about a command. */
  scopes(approvalId: string): readonly ScopeOffer[] {
    const waiting = this.#waiting.get(approvalId);
    if (!waiting) throw new HubError("NOT_FOUND", APPROVAL_NOT_FOUND);
    return waiting.question.scopes?.() ?? [];
  }

  /** What is asked, while it may be answered. */
  question(approvalId: string): Question {
    const waiting = this.#waiting.get(approvalId);
    if (!waiting || this.#deadlines.isDue(approvalId)) throw new HubError("NOT_FOUND", APPROVAL_NOT_FOUND);
    return waiting.question;
  }

  async #card(approvalId: string): Promise<ApprovalRecord> {
    const card = this.#waiting.has(approvalId) ? await this.#store.approval(approvalId) : null;
    if (!card) throw new HubError("NOT_FOUND", APPROVAL_NOT_FOUND);
    return card;
  }

  /** Of two answers one wins; the other, and every late, unknown or repeated one, is NOT_FOUND and changes nothing. */
  async answer(approvalId: string, answer: Answer, by: Identity, assure: Assure = byToken): Promise<AnswerResult> {
    const waiting = this.#waiting.get(approvalId);
    if (!waiting) throw new HubError("NOT_FOUND", APPROVAL_NOT_FOUND);
    if (this.#deadlines.isDue(approvalId)) {
      await this.#settle(approvalId, { how: "expired", delivered: waiting.delivered });
      throw new HubError("NOT_FOUND", APPROVAL_NOT_FOUND);
    }
    const assurance = await assure(answer, () => this.#card(approvalId), by);
    const extra = await this.#settle(approvalId, { how: "answered", answer, by, assurance });
    if (!extra) throw new HubError("NOT_FOUND", APPROVAL_NOT_FOUND);
    return { ok: true, ...extra };
  }

  /** Ends it without an answer; false when it had ended already. */
  async cancel(approvalId: string, how: "cancelled" | "shutdown", reason: string): Promise<boolean> {
    return (await this.#settle(approvalId, { how, reason })) !== undefined;
  }

  async cancelAll(how: "shutdown", reason: string): Promise<void> {
    this.#deadlines.stop();
    await Promise.all([...this.#waiting.keys()].map((id) => this.cancel(id, how, reason)));
  }

  async #settle(id: string, settlement: Settlement): Promise<Partial<AnswerResult> | undefined> {
    const waiting = this.#waiting.get(id);
    if (!waiting) return undefined;
    const { question, kept } = waiting;
    const settling = await question.settle(settlement);
    const state = settlement.how === "answered" ? "resolved" : settlement.how === "expired" ? "expired" : "cancelled";
    let commit: Commit;
    try {
      commit = await this.#store.commit([
        ...(settlement.how === "answered" ? nonceWrites(settlement.assurance, this.#clock.wallMs()) : []),
        { op: "close-approval", id, state, resolution: describe(settlement), ...kept },
        ...settling.writes,
      ]);
    } catch (cause) {
      const code = cause instanceof StoreError ? cause.code : undefined;
      // Silence can't allow anything now: then it denies, which doesn't wait for a recorder.
      if (settlement.how === "expired" && code?.startsWith("RECORDER_")) {
        return await this.#settle(id, { how: "cancelled", reason: `It could not be put on record (${code})` });
      }
      // Nothing was kept: an answer can be given again; a deadline or a cancellation can't, and must not leave a waiter.
      // What isn't confirmed was kept, and is answered by that.
      if (settlement.how !== "answered" || code === "UNCONFIRMED") this.#drop(id, question, cause);
      throw cause;
    }
    if (!commit.ok && commit.refusal === "NONCE_USED") {
      throw new HubError("UNAUTHORIZED", "This nonce was used before: sign again with a fresh one");
    }
    if (!commit.ok) return undefined;
    this.#forget(id, question);
    this.#news.tell(closedNews(id, settlement, settling.by));
    return await settling.done(commit);
  }

  #expire(id: string): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#settle(id, { how: "expired", delivered: waiting.delivered }).catch((cause) => {
      this.#log.error(
        { approvalId: id, err: cause },
        "an expired approval could not be recorded; its command doesn't run",
      );
    });
  }

  async #looked(ids: readonly string[]): Promise<void> {
    this.#presence.looked();
    await this.delivered(ids);
  }

  /** Somebody who may answer has got these. */
  async delivered(ids: readonly string[]): Promise<void> {
    const fresh = ids.filter((id) => this.#waiting.get(id)?.delivered === false);
    if (fresh.length === 0) return;
    await this.#store.commit([{ op: "mark-delivered", ids: fresh, atMs: this.#clock.wallMs() }]);
    for (const id of fresh) {
      const waiting = this.#waiting.get(id);
      if (waiting) waiting.delivered = true;
    }
  }

  #wait(question: Question, card: ApprovalRecord): void {
    const waiting = { question, kept: keptOf(card), delivered: card.deliveredAtMs !== null };
    this.#waiting.set(question.approvalId, waiting);
    this.#deadlines.add(question.approvalId, question.expiresAtMs, question.liveMs);
  }

  #drop(id: string, question: Question, cause: unknown): void {
    this.#forget(id, question);
    question.failed(cause);
  }

  #forget(id: string, question: Question): void {
    if (!this.#waiting.delete(id)) return;
    this.#deadlines.remove(id);
    this.#release(question.sessionId);
  }

  #reserve(sessionId: string): void {
    if (this.#reserved >= this.#limits.pending) {
      throw new HubError("LIMIT", `${this.#reserved} approvals are waiting already (limit: pending)`);
    }
    const own = this.#bySession.get(sessionId) ?? 0;
    if (own >= this.#limits.pendingPerSession) {
      throw new HubError("LIMIT", `This session has ${own} approvals waiting already (limit: pendingPerSession)`);
    }
    this.#count(sessionId, 1);
  }

  #release(sessionId: string): void {
    this.#count(sessionId, -1);
  }

  #count(sessionId: string, by: 1 | -1): void {
    this.#reserved += by;
    const count = (this.#bySession.get(sessionId) ?? 0) + by;
    if (count > 0) this.#bySession.set(sessionId, count);
    else this.#bySession.delete(sessionId);
  }
}

function describe(settlement: Settlement): { how: string; decision?: string; by?: string; reason?: string } {
  if (settlement.how !== "answered") {
    return { how: settlement.how, ...("reason" in settlement ? { reason: settlement.reason } : {}) };
  }
  const { decision, reason } = settlement.answer;
  return {
    how: "answered",
    decision,
    by: settlement.by.name,
    ...(reason === undefined ? {} : { reason: filterSecrets(reason) }),
  };
}

function closedNews(approvalId: string, settlement: Settlement, by: Decider): ApprovalNews {
  if (settlement.how === "expired") return { kind: "expired", closed: { approvalId, by } };
  if (settlement.how !== "answered") return { kind: "resolved", closed: { approvalId, by, reason: settlement.reason } };
  const { decision, reason } = settlement.answer;
  const told = reason === undefined ? {} : { reason: filterSecrets(reason) };
  return { kind: "resolved", closed: { approvalId, decision, by, name: settlement.by.name, ...told } };
}
