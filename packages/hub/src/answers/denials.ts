import type { Clock, Identity, Limits, Log } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { filterSecrets, redactCommand, redactSentence } from "@countersign/core/redaction";
import { type Denial, deniedEffects } from "@countersign/policy";
import type { Json } from "@countersign/receipts";
import type { DenialRecord, Store, Write } from "@countersign/store";
import { EFFECT_KINDS } from "@countersign/vocabulary";
import * as z from "zod";
import type { Assessment } from "../proposals/index.ts";

/** Enough to know it again on a card. */
const MAX_COMMAND = 120;

const bodySchema = z.object({
  command: z.string(),
  by: z.string(),
  reason: z.string().optional(),
  effects: z.array(z.object({ kind: z.enum(EFFECT_KINDS), target: z.string().optional() })),
});

/**
 * What people denied, for as long as it matters to the session it was denied in: the same isn't asked about again at once,
 * what resembles it is asked about whatever allows it, and too much of it in a row pauses the session. The store holds all
 * of it; here is what is in force.
 */
export class Denials {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #log: Log;
  readonly #bySession = new Map<string, Denial[]>();
  readonly #inARow = new Map<string, number>();

  private constructor(store: Store, clock: Clock, limits: Limits, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#limits = limits;
    this.#log = log;
  }

  static async load(store: Store, clock: Clock, limits: Limits, log: Log): Promise<Denials> {
    const denials = new Denials(store, clock, limits, log);
    await denials.prune();
    for (const record of await store.denials()) denials.#keep(record);
    for (const [sessionId, count] of await store.denialCounts()) denials.#inARow.set(sessionId, count);
    return denials;
  }

  of(sessionId: string): readonly Denial[] {
    const found = this.#bySession.get(sessionId);
    if (!found) return NONE;
    const since = this.#clock.wallMs() - this.#limits.denialKeptMs;
    return found.filter((denial) => denial.atMs > since);
  }

  isPaused(sessionId: string): boolean {
    return (this.#inARow.get(sessionId) ?? 0) >= this.#limits.denialsInARow;
  }

  pausedSessions(): string[] {
    return [...this.#inARow.keys()].filter((sessionId) => this.isPaused(sessionId));
  }

  /** To be committed with the denial. */
  record(
    assessment: Assessment,
    answer: { approvalId: string; by: string; reason?: string | undefined },
  ): DenialRecord {
    const { classification, circumstances, proposal, proposalHash } = assessment;
    const effects = deniedEffects(classification, circumstances).map(({ kind, target }) => ({
      kind,
      ...(target === undefined ? {} : { target: redactSentence(target) }),
    }));
    const { reason } = answer;
    const body = {
      command: shorten(redactCommand(proposal.command)),
      by: answer.by,
      ...(reason === undefined ? {} : { reason: filterSecrets(reason) }),
      effects,
    };
    const { approvalId } = answer;
    const atMs = this.#clock.wallMs();
    return { approvalId, sessionId: proposal.sessionId, atMs, proposalHash, body: body as Record<string, Json> };
  }

  /** The store holds it. True when the session is paused by it. */
  denied(record: DenialRecord): boolean {
    const { sessionId } = record;
    this.#keep(record);
    const before = this.isPaused(sessionId);
    this.#inARow.set(sessionId, (this.#inARow.get(sessionId) ?? 0) + 1);
    return !before && this.isPaused(sessionId);
  }

  /** To be committed with an answer that allows. */
  allowWrites({ proposal: { sessionId }, proposalHash }: Assessment): Write[] {
    const matters = this.#inARow.has(sessionId) || this.#bySession.has(sessionId);
    return matters ? [{ op: "forget-denial", sessionId, proposalHash }] : [];
  }

  allowed({ proposal: { sessionId }, proposalHash }: Assessment): void {
    this.#inARow.delete(sessionId);
    const left = this.#bySession.get(sessionId)?.filter((denial) => denial.proposalHash !== proposalHash) ?? [];
    if (left.length === 0) this.#bySession.delete(sessionId);
    else this.#bySession.set(sessionId, left);
  }

  /** On record, with nobody's name: the denials have theirs. It is in force without, since the denials are counted. */
  async recordPause(sessionId: string): Promise<void> {
    try {
      await this.#append("paused", sessionId, { denials: this.#limits.denialsInARow }, []);
    } catch (cause) {
      this.#log.error({ session: sessionId, err: cause }, "the pause of a session could not be recorded; it is paused");
    }
  }

  /** Lets a session go on; lifted once that is durable. What was denied in it is still remembered. */
  async resume(sessionId: string, by: Identity): Promise<void> {
    if (!this.isPaused(sessionId)) throw new HubError("NOT_FOUND", "There's no such session, or it isn't paused");
    await this.#append("resumed", sessionId, { person: by.name }, [{ op: "reset-denials", sessionId }]);
    this.#inARow.delete(sessionId);
  }

  async prune(): Promise<void> {
    const beforeMs = this.#clock.wallMs() - this.#limits.denialKeptMs;
    for (const [sessionId, found] of this.#bySession) {
      const left = found.filter((denial) => denial.atMs >= beforeMs);
      if (left.length === 0) this.#bySession.delete(sessionId);
      else this.#bySession.set(sessionId, left);
    }
    await this.#store.commit([{ op: "prune-denials", beforeMs }]);
  }

  /** A row that can't be read is left out: it would only make more be asked about. */
  #keep({ approvalId, sessionId, atMs, proposalHash, body }: DenialRecord): void {
    const reading = bodySchema.safeParse(body);
    if (!reading.success || !Number.isFinite(atMs)) return;
    const standsUntilMs = atMs + this.#limits.denialRepeatMs;
    const { reason, effects, ...said } = reading.data;
    const denial: Denial = {
      approvalId,
      proposalHash,
      atMs,
      standsUntilMs,
      ...said,
      ...(reason === undefined ? {} : { reason }),
      effects: effects.map(({ kind, target }) => (target === undefined ? { kind } : { kind, target })),
    };
    const kept = [...(this.#bySession.get(sessionId) ?? []), denial].slice(-this.#limits.denialsPerSession);
    this.#bySession.set(sessionId, kept);
  }

  async #append(
    type: "paused" | "resumed",
    sessionId: string,
    body: { readonly [key: string]: Json },
    writes: readonly Write[],
  ): Promise<void> {
    const draft = { type, sessionId, proposalKey: null, atMs: this.#clock.wallMs(), body };
    await this.#store.commit([...writes, { op: "append", draft }]);
  }
}

const NONE: readonly Denial[] = [];

function shorten(command: string): string {
  const line = command.replace(/\s+/g, " ").trim();
  return line.length <= MAX_COMMAND ? line : `${line.slice(0, MAX_COMMAND).toWellFormed()}…`;
}
