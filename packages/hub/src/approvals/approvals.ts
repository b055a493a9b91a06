import type { Clock, Identity, Limits, Log } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import {
  type Answer,
  type AnswerResult,
  APPROVAL_NOT_FOUND,
  type ExecApprovalRequestPayload,
  type ScopeOffer,
} from "@countersign/protocol/proposals";
import {
  type ApprovalRecord,
  type Commit,
  type Store,
  StoreError,
  saltedProposalHash,
  type Write,
} from "@countersign/store";
import type { News, Presence } from "../events/index.ts";
import { type Assurance, nonceWrites } from "../identity/index.ts";
import type { Question, Resolution, Settlement } from "../policies/index.ts";
import { redactClosedCard } from "./card.ts";
import { CardGroups, questionKey } from "./card-groups.ts";
import { closedNews, closingWrite } from "./closing.ts";
import { Deadlines } from "./deadlines.ts";
import { aboutRun } from "./exec-question.ts";
import { PendingCounts } from "./pending-counts.ts";
import { SortedIds } from "./sorted-ids.ts";

/** Checks an answer's signature, if it has one, against the card; see Devices. */
type Assure = (answer: Answer, card: () => Promise<ApprovalRecord>, by: Identity) => Promise<Assurance>;
const byToken: Assure = () => Promise.resolve({ level: "token" });

type Viewer = Pick<Identity, "role">;
const APPROVER: Viewer = { role: "approver" };

interface Waiting {
  readonly question: Question;
  /** What is written over the card when it is closed. */
  readonly kept: ReturnType<typeof redactClosedCard>;
  delivered: boolean;
  /** How many settlements of it are being written. */
  settling: number;
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
  readonly #order = new SortedIds();
  /** Neither delivered nor about to be put on record as that. */
  readonly #undelivered = new Set<string>();
  /** What is being put on record as delivered. */
  readonly #delivering = new Map<string, Promise<void>>();
  readonly #cards = new CardGroups();
  readonly #counts: PendingCounts;
  #stopping = false;

  constructor(options: {
    readonly store: Store;
    readonly clock: Clock;
    readonly limits: Limits;
    readonly log: Log;
    readonly news: News;
    readonly presence: Presence;
  }) {
    this.#store = options.store;
    this.#limits = options.limits;
    this.#log = options.log;
    this.#clock = options.clock;
    this.#news = options.news;
    this.#presence = options.presence;
    this.#counts = new PendingCounts(options.limits);
    this.#deadlines = new Deadlines(options.clock, (id) => this.#expire(id));
  }

  /** Cards that wait; several of the same question are one. */
  get pending(): number {
    return this.#cards.size;
  }

  /**
   * Opens a question: durable before it can be seen, listed or answered. `writes` are committed with it.
   * A commit that refuses is returned, and nothing waits. The card itself stays in the store: thousands may wait.
   */
  async open(question: Question, card: ApprovalRecord, writes: readonly Write[]): Promise<Commit> {
    const { sessionId } = question;
    this.#counts.reserve(sessionId);
    try {
      const key = questionKey(question, card);
      const commit = await this.#store.commit([...writes, { op: "insert-approval", approval: card }]);
      if (commit.ok) {
        this.#wait(question, card, key);
        if (this.#cards.isSeen(card.id)) this.#news.tell({ kind: "asked", card: this.#cards.shown(card) });
        else this.#tellCount(card.id);
      } else {
        this.#counts.release(sessionId);
      }
      return commit;
    } catch (cause) {
      this.#counts.release(sessionId);
      throw cause;
    }
  }

  /** Takes up a question that the store already holds, after a restart. */
  resume(question: Question, card: ApprovalRecord): void {
    this.#counts.add(question.sessionId);
    this.#wait(question, card, questionKey(question, card));
  }

  isWaiting(approvalId: string): boolean {
    return this.#waiting.has(approvalId);
  }

  /** Ids of what waits after this one, oldest first; several may share a card. */
  pendingAfter(approvalId: string, limit: number): readonly string[] {
    return this.#order.next(approvalId, limit);
  }

  /** Whether it waits, and its card is the one that stands for all that share it. */
  isSeen(approvalId: string): boolean {
    return this.#cards.isSeen(approvalId);
  }

  /** Reads these cards and hands each on as it is shown now; what isn't seen any more is left out. It doesn't count as a delivery. */
  async show(approvalIds: readonly string[], take: (card: ExecApprovalRequestPayload) => void): Promise<void> {
    for (const id of approvalIds) {
      const card = await this.#store.approval(id);
      if (card && this.isSeen(id)) take(this.#cards.shown(card));
    }
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
      // Nor is one that shares another's card.
      live.push(...records.filter(({ id }) => this.#cards.isSeen(id)).slice(0, limit - live.length));
      if (live.length === limit || records.length < limit) break;
      after = records.at(-1)?.id;
    }
    if (viewer.role === "approver") await this.#looked(live.map((record) => record.id));
    return live.map((record) => this.#cards.shown(record));
  }

  async get(approvalId: string, viewer: Viewer = APPROVER): Promise<ExecApprovalRequestPayload> {
    const card = await this.#card(approvalId);
    if (viewer.role === "approver") await this.#looked([approvalId]);
    return this.#cards.shown(card);
  }

  /** The ways to allow more than this once; none for what isn't about a command. */
  async scopes(approvalId: string): Promise<readonly ScopeOffer[]> {
    const waiting = this.#waiting.get(approvalId);
    if (!waiting) throw new HubError("NOT_FOUND", APPROVAL_NOT_FOUND);
    return (await waiting.question.scopes?.()) ?? [];
  }

  /** What is asked, while it may be answered. */
  question(approvalId: string): Question {
    const waiting = this.#waiting.get(approvalId);
    if (!waiting || this.#deadlines.isDue(approvalId)) throw new HubError("NOT_FOUND", APPROVAL_NOT_FOUND);
    return waiting.question;
  }

  /** Shows a card with nothing hidden. That this person asked for it is on record before they see it; what they see never is. */
  async reveal(approvalId: string, by: Identity): Promise<ExecApprovalRequestPayload> {
    const question = this.question(approvalId);
    const proposal = aboutRun(question)?.proposal;
    const card = await this.get(approvalId, by);
    const revealed = await question.revealed(card);
    const about = { sessionId: proposal?.sessionId ?? null, proposalKey: proposal?.key ?? null };
    const proposalHash = saltedProposalHash(card.proposalHash, proposal?.salt);
    const body = { approvalId, person: by.name, proposalHash };
    const draft = { type: "revealed", ...about, atMs: this.#clock.wallMs(), body } as const;
    await this.#store.commit([{ op: "append", draft }]);
    // Throws if the approval has ended in the meantime.
    this.question(approvalId);
    return revealed;
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
    if (answer.command !== undefined && !waiting.question.hashOf) {
      throw new HubError("INVALID_PARAMS", "command: there's none to change");
    }
    const assurance = await assure(answer, () => this.#signed(approvalId, answer), by);
    const extra = await this.#settle(approvalId, { how: "answered", answer, by, assurance });
    if (!extra) throw new HubError("NOT_FOUND", APPROVAL_NOT_FOUND);
    return { ok: true, ...extra };
  }

  /** What a signature is about: the card, or what was made of its command. */
  async #signed(approvalId: string, { command }: Answer): Promise<ApprovalRecord> {
    const card = await this.#card(approvalId);
    if (command === undefined) return card;
    const proposalHash = this.#waiting.get(approvalId)?.question.hashOf?.(command) ?? "";
    return { ...card, payload: { ...card.payload, proposalHash } };
  }

  /** Ends it without an answer; false when it had ended already. */
  async cancel(approvalId: string, how: "cancelled", reason: string): Promise<boolean> {
    return (await this.#settle(approvalId, { how, reason })) !== undefined;
  }

  /**
   * Releases everyone who waits, with this error, and leaves every approval pending in the store: the next start goes on with it, as after
   * a crash. An approval whose settlement is being written is left to that.
   */
  leaveOpen(cause: HubError): void {
    this.#stopping = true;
    this.#deadlines.stop();
    for (const { question, settling } of this.#waiting.values()) {
      if (settling > 0) continue;
      this.#abandon(question, cause);
    }
  }

  /** `gone`: of those that are the same question, these had ended when it was tried before. */
  async #settle(
    id: string,
    settlement: Settlement,
    gone: readonly string[] = [],
  ): Promise<Partial<AnswerResult> | undefined> {
    if (!this.#waiting.has(id)) return undefined;
    const ids = [id, ...this.#alongWith(id, settlement).filter((other) => !gone.includes(other))];
    const together = ids.flatMap((one) => this.#waiting.get(one) ?? []);
    for (const waiting of together) waiting.settling += 1;
    try {
      const parts = await this.#partsOf(ids, settlement).catch((cause) => {
        // An answer can be given again; a deadline or a cancellation can't, and must not leave a waiter.
        if (settlement.how !== "answered") for (const { question } of together) this.#abandon(question, cause);
        throw cause;
      });
      return await this.#settleTogether(id, parts, { settlement, gone });
    } finally {
      for (const waiting of together) waiting.settling -= 1;
    }
  }

  async #settleTogether(
    id: string,
    parts: readonly Part[],
    { settlement, gone }: { readonly settlement: Settlement; readonly gone: readonly string[] },
  ): Promise<Partial<AnswerResult> | undefined> {
    const nonce = settlement.how === "answered" ? nonceWrites(settlement.assurance, this.#clock.wallMs()) : [];
    let commit: Commit;
    try {
      commit = await this.#store.commit([...nonce, ...parts.flatMap(({ writes }) => writes)]);
    } catch (cause) {
      const code = cause instanceof StoreError ? cause.code : undefined;
      // Silence can't allow anything now: then it denies, which doesn't wait for a recorder.
      if (settlement.how === "expired" && code?.startsWith("RECORDER_")) {
        return await this.#settle(id, { how: "cancelled", reason: `It could not be put on record (${code})` });
      }
      // Nothing was kept: an answer can be given again; a deadline or a cancellation can't, and must not leave a waiter.
      // What isn't confirmed was kept, and is answered by that.
      if (settlement.how !== "answered" || code === "UNCONFIRMED")
        this.#end(parts, (part) => part.question.failed(cause));
      throw cause;
    }
    if (!commit.ok && commit.refusal === "NONCE_USED") {
      throw new HubError("UNAUTHORIZED", "This nonce was used before: sign again with a fresh one");
    }
    if (!commit.ok) {
      const refused = partAt(parts, commit.index - nonce.length);
      // One of the others ended meanwhile, which takes nothing from the answer.
      return refused === undefined || refused === id
        ? undefined
        : await this.#settle(id, settlement, [...gone, refused]);
    }
    this.#end(parts, (part) => this.#news.tell(closedNews(part.id, part.settlement, part.resolution.by)));
    const [extra, ...others] = parts.map(({ resolution }) => resolution.done(commit));
    await Promise.all(others);
    return toldOf((await extra) ?? {}, settlement, parts.length);
  }

  /** What the same answer settles beside the one that it was given on. */
  #alongWith(id: string, settlement: Settlement): readonly string[] {
    if (settlement.how !== "answered") return [];
    const others = this.#cards.of(id).filter((other) => other !== id);
    const { decision, times = 1 } = settlement.answer;
    // Nobody denies a question and means that it be asked again at once; but to allow once is to allow one run.
    if (decision === "deny") return others;
    return others.filter((other) => !this.#deadlines.isDue(other)).slice(0, times - 1);
  }

  async #partsOf(ids: readonly string[], given: Settlement): Promise<Part[]> {
    const together = ids.flatMap((id) => this.#waiting.get(id) ?? []);
    const [card = ""] = ids;
    const isShared = given.how === "answered" && together.length > 1;
    const settlement = isShared ? { ...given, shared: { card, count: together.length } } : given;
    const parts: Part[] = [];
    for (const { question, kept } of together) {
      const id = question.approvalId;
      const resolution = await question.settle(settlement);
      const writes = [closingWrite(id, settlement, kept), ...resolution.writes];
      parts.push({ id, question, settlement, resolution, writes });
    }
    return parts;
  }

  /** They wait no more; those that shared their card have it now, or are told in its number. */
  #end(parts: readonly Part[], each: (part: Part) => void): void {
    const [first] = parts;
    if (!first) return;
    const before = this.#cards.of(first.id);
    const left = before.filter((id) => !parts.some((part) => part.id === id));
    for (const part of parts) {
      this.#forget(part.id, part.question);
      each(part);
    }
    const [next] = left;
    if (next === undefined || this.#stopping) return;
    if (next === before[0]) this.#tellCount(next);
    else this.#tellNext(next);
  }

  #tellCount(id: string): void {
    const group = this.#cards.of(id);
    const [approvalId] = group;
    if (approvalId !== undefined) this.#news.tell({ kind: "counted", counted: { approvalId, count: group.length } });
  }

  /** It was there, behind another's card. One whose own deadline has come isn't asked about any more. */
  #tellNext(id: string): void {
    if (this.#deadlines.isDue(id)) return;
    const tell = async () => {
      const card = await this.#store.approval(id);
      if (card && this.#cards.isSeen(id)) this.#news.tell({ kind: "asked", card: this.#cards.shown(card) });
    };
    tell().catch((cause) => {
      this.#log.error({ approvalId: id, err: cause }, "a question that comes next could not be told; it can be listed");
    });
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

  /** Somebody who may answer has got these. Resolves when that is on record. */
  async delivered(ids: readonly string[]): Promise<void> {
    if (this.#undelivered.size === 0 && this.#delivering.size === 0) return;
    // With its number a card shows all that share it. Of a thousand who get the same at once, one puts it on record.
    const shown = ids.flatMap((id) => this.#cards.of(id));
    const fresh = shown.filter((id) => this.#undelivered.delete(id));
    if (fresh.length > 0) {
      const marking = this.#markDelivered(fresh);
      for (const id of fresh) this.#delivering.set(id, marking);
    }
    await Promise.all(new Set(shown.flatMap((id) => this.#delivering.get(id) ?? [])));
  }

  async #markDelivered(fresh: readonly string[]): Promise<void> {
    try {
      await this.#store.commit([{ op: "mark-delivered", ids: fresh, atMs: this.#clock.wallMs() }]);
    } catch (cause) {
      for (const id of fresh) if (this.#waiting.has(id)) this.#undelivered.add(id);
      throw cause;
    } finally {
      for (const id of fresh) this.#delivering.delete(id);
    }
    for (const id of fresh) {
      const waiting = this.#waiting.get(id);
      if (waiting) waiting.delivered = true;
    }
  }

  #wait(question: Question, card: ApprovalRecord, key: string): void {
    const waiting = { question, kept: redactClosedCard(card), delivered: card.deliveredAtMs !== null, settling: 0 };
    this.#waiting.set(question.approvalId, waiting);
    this.#order.add(question.approvalId);
    if (!waiting.delivered) this.#undelivered.add(question.approvalId);
    this.#cards.add(question.approvalId, key);
    this.#deadlines.add(question.approvalId, question.expiresAtMs, question.liveMs);
  }

  /** Releases who waits for it, and leaves it to the next start. */
  #abandon(question: Question, cause: unknown): void {
    this.#forget(question.approvalId, question);
    question.failed(cause);
  }

  #forget(id: string, question: Question): void {
    if (!this.#waiting.delete(id)) return;
    this.#order.remove(id);
    this.#undelivered.delete(id);
    this.#cards.remove(id);
    this.#deadlines.remove(id);
    this.#counts.release(question.sessionId);
  }
}

interface Part {
  readonly id: string;
  readonly question: Question;
  readonly settlement: Settlement;
  readonly resolution: Resolution;
  readonly writes: readonly Write[];
}

/** Whose write it is. */
function partAt(parts: readonly Part[], index: number): string | undefined {
  let left = index;
  return parts.find(({ writes }) => {
    left -= writes.length;
    return left < 0;
  })?.id;
}

/** How many were answered, where that isn't one or isn't what was asked for. */
function toldOf(extra: Partial<AnswerResult>, settlement: Settlement, count: number): Partial<AnswerResult> {
  if (settlement.how !== "answered") return extra;
  const { times = 1 } = settlement.answer;
  const fewer = times > count ? `${count} of the ${times} that you allowed waited; nothing is left over` : undefined;
  const notes = [extra.note, fewer].filter((note) => note !== undefined);
  return {
    ...extra,
    ...(count > 1 ? { count } : {}),
    ...(notes.length > 0 ? { note: notes.join(". ") } : {}),
  };
}
