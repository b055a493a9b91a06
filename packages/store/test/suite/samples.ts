import assert from "node:assert/strict";
import type { Json } from "@countersign/receipts";
import type { ApprovalRecord, ProposalRecord, SessionRecord } from "../../src/contract/records.ts";
import type { Commit, Store, Write } from "../../src/contract/store.ts";
import type { StoredReceipt } from "../../src/ledger/check-ledger.ts";
import type { LedgerDraft, LedgerEntry } from "../../src/ledger/entries.ts";
import { StoreError } from "../../src/ledger/store-error.ts";

export function session(set: Partial<SessionRecord> = {}): SessionRecord {
  return { id: "s1", ownerId: "ann", agentName: "claude", createdAtMs: 1_000, ...set };
}

/** `proposalId` follows the key, so that proposals with different keys don't collide. */
export function proposal(set: Partial<ProposalRecord> = {}): ProposalRecord {
  const key = set.key ?? "k1";
  return {
    key,
    ownerId: "ann",
    proposalId: `of-${key}`,
    sessionId: "s1",
    state: "pending",
    attached: true,
    bodyHash: "sha256:00",
    command: "ls -la",
    cwd: "/work",
    env: { LANG: "C" },
    details: { agent: "claude" },
    approvalId: null,
    createdAtMs: 1_000,
    endedAtMs: null,
    decided: null,
    outcome: null,
    ...set,
  };
}

export function approval(set: Partial<ApprovalRecord> = {}): ApprovalRecord {
  return {
    id: "a1",
    subject: "exec",
    proposalKey: "k1",
    sessionId: "s1",
    profileId: "default",
    state: "pending",
    expiresAtMs: 9_000,
    deliveredAtMs: null,
    payload: { command: "ls -la" },
    resolution: null,
    ...set,
  };
}

export function draft(body: { readonly [key: string]: Json } = {}): LedgerDraft {
  return { type: "decided", sessionId: "s1", proposalKey: "k1", atMs: 1_000, body };
}

export function append(body: { readonly [key: string]: Json } = {}): Write {
  return { op: "append", draft: draft(body) };
}

export async function keep(store: Store, ...writes: readonly Write[]): Promise<readonly LedgerEntry[]> {
  const commit = await store.commit(writes);
  assert.ok(commit.ok, `refused: ${JSON.stringify(commit)}`);
  return commit.entries;
}

export function refused(refusal: Extract<Commit, { ok: false }>["refusal"], index = 0): Commit {
  return { ok: false, refusal, index };
}

/** For assert.rejects. */
export function failsWith(code: StoreError["code"]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof StoreError, `not a StoreError: ${error}`);
    assert.equal(error.code, code, error.message);
    return true;
  };
}

/** The whole ledger, page by page. */
export async function* wholeLedger(store: Store, limit = 100): AsyncGenerator<LedgerEntry, void, undefined> {
  let afterSeq = 0;
  for (;;) {
    const page = await store.ledger({ afterSeq, limit });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    afterSeq = last.seq;
  }
}

/** The same, as they were signed. */
export async function* wholeReceipts(store: Store, limit = 100): AsyncGenerator<StoredReceipt, void, undefined> {
  for (let afterSeq = 0; ; ) {
    const page = await store.receipts({ afterSeq, limit });
    yield* page;
    if (page.length === 0) return;
    afterSeq += page.length;
  }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
