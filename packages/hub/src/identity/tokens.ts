import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock, Identity } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { userName } from "@countersign/core/host";
import { knownSecrets } from "@countersign/core/redaction";
import type { Store, TokenRecord } from "@countersign/store";
import type { Role } from "@countersign/vocabulary";
import { uuidv7 } from "uuidv7";
import { nonceWrites, refuseReplay, type Vouched, vouchedFacts } from "./assurance.ts";

const BOOTSTRAP = "bootstrap";
/** Many more than people and agents; keeps a loop from filling the store. */
const MAX_TOKENS = 1_000;

export interface NewToken {
  readonly id: string;
  /** Shown once. */
  readonly token: string;
  readonly role: Role;
  readonly name: string;
}

/** Who may come in. The hub keeps hashes; a token is looked up by its hash and compared in constant time. */
export class Tokens {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #byHash = new Map<string, TokenRecord>();
  readonly #live = new Set<string>();
  readonly #onRevoked = new Set<(tokenId: string) => void>();

  private constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  static async load(store: Store, clock: Clock, bootstrapToken: string): Promise<Tokens> {
    const tokens = new Tokens(store, clock);
    for (const record of await store.tokens()) {
      if (record.revokedAtMs === null) tokens.#add(record);
    }
    // It may have any form: somebody chose it.
    knownSecrets.keep(bootstrapToken);
    const hash = hashOf(bootstrapToken);
    const person = { role: "approver", name: userName(), unattended: false } as const;
    tokens.#add({ id: BOOTSTRAP, hash, ...person, createdAtMs: 0, revokedAtMs: null, madeBy: null });
    return tokens;
  }

  identify(token: string): Identity | undefined {
    const hash = hashOf(token);
    const record = this.#byHash.get(hash);
    if (!record || !timingSafeEqual(Buffer.from(record.hash), Buffer.from(hash))) return undefined;
    const { id, role, name, unattended } = record;
    return { id, role, name, unattended, sameUser: false };
  }

  /** Whether whoever came in with it would still be let in. */
  isLive({ id }: Pick<Identity, "id">): boolean {
    return this.#live.has(id);
  }

  /** On record with the token that it was made with, and how sure the hub was of who held that. */
  async create(
    { role, name, unattended }: { role: Role; name: string; unattended: boolean },
    { by, vouched }: { by: Identity; vouched: Vouched },
  ): Promise<NewToken> {
    if (this.#byHash.size >= MAX_TOKENS) throw new HubError("LIMIT", `There are ${MAX_TOKENS} tokens (limit: tokens)`);
    const token = `cs_${randomBytes(32).toString("base64url")}`;
    knownSecrets.add(token);
    const atMs = this.#clock.wallMs();
    const id = uuidv7();
    const made = { createdAtMs: atMs, revokedAtMs: null, madeBy: by.id };
    const record: TokenRecord = { id, hash: hashOf(token), role, name, unattended, ...made };
    const body = { token: id, role, name, person: by.name, madeBy: by.id, ...vouchedFacts(vouched) };
    const commit = await this.#store.commit([
      { op: "insert-token", token: record },
      { op: "append", draft: this.#draft("token-created", body) },
      ...nonceWrites(vouched, atMs),
    ]);
    refuseReplay(commit);
    this.#add(record);
    return { id, token, role, name };
  }

  /** Everyone but the bootstrap token, without hashes. */
  async list(): Promise<Omit<TokenRecord, "hash">[]> {
    return (await this.#store.tokens()).map(({ hash: _, ...record }) => record);
  }

  /** For ever; whoever is connected with it is cut off. */
  async revoke(id: string, by: Identity): Promise<void> {
    if (id === BOOTSTRAP) {
      throw new HubError(
        "INVALID_PARAMS",
        "The first token can't be revoked; replace COUNTERSIGN_TOKEN or keys/token and restart",
      );
    }
    const record = [...this.#byHash.values()].find((candidate) => candidate.id === id);
    if (!record) throw new HubError("NOT_FOUND", "There's no such token, or it is revoked already");
    // From now on, before it is durable: nobody comes in with it while the disk is slow.
    this.#byHash.delete(record.hash);
    this.#live.delete(id);
    for (const listener of this.#onRevoked) listener(id);
    await this.#store.commit([
      { op: "revoke-token", id, atMs: this.#clock.wallMs() },
      { op: "append", draft: this.#draft("token-revoked", { token: id, person: by.name }) },
    ]);
  }

  onRevoked(listener: (tokenId: string) => void): () => void {
    this.#onRevoked.add(listener);
    return () => this.#onRevoked.delete(listener);
  }

  #add(record: TokenRecord): void {
    this.#byHash.set(record.hash, record);
    this.#live.add(record.id);
  }

  #draft(type: "token-created" | "token-revoked", body: Record<string, string>) {
    return { type, sessionId: null, proposalKey: null, atMs: this.#clock.wallMs(), body };
  }
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
