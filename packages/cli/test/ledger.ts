import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  createReceipt,
  digestOf,
  examineReceipt,
  leafHash,
  publicKeyFromPem,
  type Receipt,
  type ReceiptDraft,
  type ReceiptFacts,
  Sealer,
  type Sha256Text,
  signCheckpoint,
  TreeFrontier,
} from "@countersign/receipts";
import { nodeCrypto, signerFromPem } from "@countersign/receipts/node";
import { openSqliteStore } from "@countersign/store";

const crypto = nodeCrypto();

/** Which chain each receipt goes to; the first of all opens the root's. */
export const SESSIONS = ["a", null, "b", "a", "b", "a", null, "b", "a"] as const;

/** A ledger of the store's own making, and what it takes to forge one with its key. */
export class Ledger {
  readonly home: string;

  private constructor(home: string) {
    this.home = home;
  }

  static async make(home: string, sessions: readonly (string | null)[] = SESSIONS): Promise<Ledger> {
    mkdirSync(home, { recursive: true });
    const ledger = new Ledger(home);
    await ledger.append(sessions);
    return ledger;
  }

  async append(sessions: readonly (string | null)[]): Promise<void> {
    const store = await openSqliteStore(this.database);
    const writes = sessions.map((sessionId, at) => {
      const body = { verdict: "allow", by: "policy", riskLevel: "safe", note: `n${at}` };
      const draft = { type: "decided", sessionId, proposalKey: null, atMs: 1_000 + at, body } as const;
      return { op: "append", draft } as const;
    });
    assert.ok((await store.commit(writes)).ok);
    await store.close();
  }

  async checkpoint(): Promise<void> {
    const store = await openSqliteStore(this.database);
    assert.ok((await store.commit([{ op: "checkpoint", atMs: 2_000 }])).ok);
    await store.close();
  }

  /** What a process of user 7 told the recorder, of itself or of a sandbox. */
  async emit(chain: "uid:7" | `sandbox:${string}`): Promise<void> {
    const store = await openSqliteStore(this.database);
    const of = chain === "uid:7" ? { emitter: chain, attestation: "emitter-asserted" } : AS_RELAY;
    const draft = emittedBy(7, of.attestation);
    const [emitter, idempotencyKey] = [of.emitter, "key-1"];
    const frame = { emitter, chain, idempotencyKey, atMs: 1_500, receipts: [draft], chainsPerDay: 10 } as const;
    assert.equal((await store.record(frame)).kind, "recorded");
    await store.close();
  }

  /** The same installation, as somebody would restore it from a copy. */
  copyTo(home: string): Ledger {
    mkdirSync(join(home, "keys"), { recursive: true });
    copyFileSync(this.database, join(home, "countersign.db"));
    for (const name of ["receipts.pem", "receipts.pub.pem", "receipts-next.pem", "receipts-next.pub.pem"]) {
      copyFileSync(join(this.home, "keys", name), join(home, "keys", name));
    }
    return new Ledger(home);
  }

  get database(): string {
    return join(this.home, "countersign.db");
  }

  get publicPem(): string {
    return join(this.home, "keys", "receipts.pub.pem");
  }

  get publicKey(): Uint8Array {
    return publicKeyFromPem(readFileSync(this.publicPem, "utf8")) as Uint8Array;
  }

  get #signer() {
    return signerFromPem(readFileSync(join(this.home, "keys", "receipts.pem"), "utf8"));
  }

  lines(): string[] {
    const db = new DatabaseSync(this.database, { readOnly: true });
    const rows = db.prepare("SELECT raw FROM receipt ORDER BY seq").all();
    db.close();
    return rows.map(({ raw }) => String(raw));
  }

  /** By another tool, which no trigger of ours keeps from anything. */
  tamper(...statements: readonly string[]): void {
    const db = new DatabaseSync(this.database);
    const triggers = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all();
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
    for (const statement of statements) db.exec(statement);
    db.close();
  }

  /** A receipt that the right key signs, in a place and with words of the forger's. */
  async forge(
    line: string,
    place: { readonly after: string | null },
    change: (draft: ReceiptDraft) => ReceiptDraft = (draft) => draft,
  ): Promise<string> {
    const { id, issuer, issuanceDate, credentialSubject } = JSON.parse(line) as Receipt;
    const { chain, ...subject } = credentialSubject;
    const draft = change({ id, issuer, issuanceDate, credentialSubject: subject } as ReceiptDraft);
    const before = place.after === null ? null : factsOf(place.after);
    const head = before === null ? null : { sequence: before.sequence, hash: before.hash as Sha256Text };
    const unsealed = createReceipt(draft, { chainId: chain.chain_id, head }, crypto);
    return Buffer.from(await new Sealer(this.#signer).seal(unsealed)).toString();
  }

  /** What a witness keeps of these receipts. */
  async note(lines: readonly string[]): Promise<string> {
    const tree = new TreeFrontier(crypto);
    for (const line of lines) tree.append(leafHash(digestOf(factsOf(line).hash) as Uint8Array, crypto));
    const origin = factsOf(lines[0] as string).chainId.replace(/:root$/, "");
    return await signCheckpoint({ origin, size: tree.size, root: tree.root() }, this.#signer, crypto);
  }
}

const AS_RELAY = { emitter: "relay:7", attestation: "sandbox-asserted" } as const;

function emittedBy(uid: number, attestation: string) {
  const at = new Date(1_500).toISOString();
  return {
    id: `urn:receipt:${randomUUID()}`,
    issuanceDate: at,
    issuer: { session_id: "claimed", runtime: { channel: "mcp", attestation } },
    credentialSubject: {
      principal: { id: `uid:${uid}` },
      action: {
        id: `act_${randomUUID()}`,
        type: "filesystem.file.read",
        risk_level: "low",
        timestamp: at,
        idempotency_key: "key-1",
        peer_credential: { platform: "linux", pid: 1, uid, gid: uid },
      },
      outcome: { status: "success" },
      correlation_id: "claimed-too",
    },
  } as const;
}

export function factsOf(line: string): ReceiptFacts {
  const examined = examineReceipt(Buffer.from(line), crypto);
  assert.equal(examined.kind, "receipt");
  return (examined as { facts: ReceiptFacts }).facts;
}

export function writeLines(path: string, lines: readonly string[]): string {
  writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
  return path;
}

export function writeWitness(path: string, notes: readonly string[]): string {
  return writeLines(
    path,
    notes.map((note) => JSON.stringify(note)),
  );
}
