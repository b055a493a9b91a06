import type { Clock, Identity, Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { type Entry, entrySchema, type Grant, grantSchema } from "@countersign/policy";
import type { Json } from "@countersign/receipts";
import type { GrantRecord, Store, Write } from "@countersign/store";
import type { Assessment, RememberedAnswers } from "../proposals/index.ts";
import { matchesOneTimeGrant } from "./one-time-grant.ts";

type Allowed = NonNullable<RememberedAnswers["allowed"]>;
interface Where {
  readonly sessionId: string;
  readonly profileId: string;
}

/**
 * What people allowed beside the profiles, for one session or for a while. The store holds it; here is what is in force,
 * by profile and session, so that a proposal needs no look at the disk.
 */
export class Grants {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #records = new Map<string, GrantRecord>();
  /** Of what is allowed once: until when by the monotonic clock, so that setting the other back doesn't lengthen it. */
  readonly #dueMs = new Map<string, number>();
  /** Lists are kept as they are between changes: the policy's index goes by them. */
  readonly #lists = new Map<string, Allowed>();

  private constructor(store: Store, clock: Clock, limits: Limits) {
    this.#store = store;
    this.#clock = clock;
    this.#limits = limits;
  }

  static async load(store: Store, clock: Clock, limits: Limits): Promise<Grants> {
    const grants = new Grants(store, clock, limits);
    grants.add(await store.grants());
    await grants.prune();
    return grants;
  }

  /** What bears on a proposal. Expired ones may be among it: whoever decides looks at the time. */
  for({ sessionId, profileId }: Where): Allowed {
    if (this.#records.size === 0) return NONE;
    const key = JSON.stringify([profileId, sessionId]);
    const known = this.#lists.get(key);
    if (known) return known;
    const records = [...this.#records.values()].filter(
      (record) => record.profileId === profileId && (record.sessionId === null || record.sessionId === sessionId),
    );
    const made = records.length === 0 ? NONE : { entries: records.flatMap(toEntry), grants: records.flatMap(toGrant) };
    if (this.#lists.size >= MAX_LISTS) this.#lists.clear();
    this.#lists.set(key, made);
    return made;
  }

  /** Room for so many more in this session. */
  reserve(count: number, { sessionId }: Where): void {
    const live = this.list();
    if (live.length + count > this.#limits.grants) {
      throw new HubError("LIMIT", `${live.length} things are allowed for a while already (limit: grants)`);
    }
    const own = live.filter((record) => record.sessionId === sessionId).length;
    if (own + count > this.#limits.grantsPerSession) {
      throw new HubError("LIMIT", `This session has ${own} things allowed already (limit: grantsPerSession)`);
    }
  }

  /** The store holds them. */
  add(records: readonly GrantRecord[]): void {
    for (const record of records) {
      this.#records.set(record.id, record);
      const leftMs = Math.min(record.expiresAtMs - this.#clock.wallMs(), this.#limits.lateAnswerMs);
      if (record.kind === "once" && !this.#dueMs.has(record.id))
        this.#dueMs.set(record.id, this.#clock.monotonicMs() + leftMs);
    }
    this.#lists.clear();
  }

  /**
   * Takes what was allowed once and is this very proposal: nobody else gets it now. Whoever doesn't come to use it puts it back with
   * `add`; that it is used once is the store's to say.
   */
  takeOneTime(assessment: Assessment): GrantRecord | undefined {
    const nowMs = this.#clock.wallMs();
    for (const record of this.#records.values()) {
      const isOpen = record.atMs <= nowMs && nowMs < record.expiresAtMs && !this.#isDue(record.id);
      if (record.kind !== "once" || !isOpen || !matchesOneTimeGrant(record, assessment)) continue;
      this.#records.delete(record.id);
      return record;
    }
    return undefined;
  }

  #isDue(id: string): boolean {
    return this.#clock.monotonicMs() >= (this.#dueMs.get(id) ?? Number.POSITIVE_INFINITY);
  }

  /** In force now, oldest first. */
  list(): GrantRecord[] {
    const nowMs = this.#clock.wallMs();
    return [...this.#records.values()].filter((record) => record.expiresAtMs > nowMs && !this.#isDue(record.id));
  }

  /** Takes one back. It counts no more from the moment of the call. */
  async revoke(id: string, by: Identity): Promise<void> {
    const record = this.list().find((one) => one.id === id);
    if (!record) throw new HubError("NOT_FOUND", "Nothing that is allowed for a while has this id");
    this.#forget([id]);
    const body = { profile: record.profileId, by: by.name, revoked: id };
    const draft = { type: "policy-changed", proposalKey: null, atMs: this.#clock.wallMs(), body } as const;
    try {
      await this.#store.commit([
        { op: "remove-grants", ids: [id] },
        { op: "append", draft: { ...draft, sessionId: record.sessionId } },
      ]);
    } catch (cause) {
      // It is still there, and whoever is told so can try again.
      this.add([record]);
      throw cause;
    }
  }

  /** Forgets what has expired. */
  async prune(): Promise<void> {
    const nowMs = this.#clock.wallMs();
    const expired = [...this.#records.values()]
      .filter((record) => !(record.expiresAtMs > nowMs) || this.#isDue(record.id))
      .map(({ id }) => id);
    if (expired.length === 0) return;
    this.#forget(expired);
    await this.#store.commit([{ op: "remove-grants", ids: expired }]);
  }

  #forget(ids: readonly string[]): void {
    for (const id of ids) {
      this.#records.delete(id);
      this.#dueMs.delete(id);
    }
    this.#lists.clear();
  }
}

const NONE: Allowed = { entries: [], grants: [] };
const MAX_LISTS = 10_000;

export function insertGrants(records: readonly GrantRecord[]): Write[] {
  return records.map((grant) => ({ op: "insert-grant", grant }));
}

export function bodyOf(made: Entry | Grant): GrantRecord["body"] {
  return made as unknown as Record<string, Json>;
}

/** A row that can't be read allows nothing. */
function toEntry({ kind, body }: GrantRecord): Entry[] {
  const reading = kind === "entry" ? entrySchema.safeParse(body) : undefined;
  return reading?.success ? [reading.data] : [];
}

function toGrant({ kind, body }: GrantRecord): Grant[] {
  const reading = kind === "effects" ? grantSchema.safeParse(body) : undefined;
  return reading?.success ? [reading.data] : [];
}
