import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { DEFAULT_LIMITS, systemClock } from "@countersign/core/base";
import { createReceipt, didOfKey, type Receipt, Sealer } from "@countersign/receipts";
import { generateSigningKey, nodeCrypto, signerFromPem } from "@countersign/receipts/node";
import { FakeClock } from "../../../../hub/test/support/fake-clock.ts";
import { openMirrored } from "../../../test/mirrored-temp-store.ts";
import { frameRecord } from "../../../test/suite/sample-frames.ts";
import { append, draft, failsWith, keep, proposal, session, wholeReceipts } from "../../../test/suite/samples.ts";
import { tempDirectory } from "../../../test/temp-store.ts";
import type { Store } from "../../contract/store.ts";
import { checkLedger } from "../../ledger/check-ledger.ts";
import type { LedgerDraft } from "../../ledger/entries.ts";
import type { LedgerRow } from "../../ledger/ledger-row.ts";
import { mustBeConfirmed } from "../../ledger/must-be-confirmed.ts";
import { openMirroredStore, openSqliteStore } from "../open-sqlite-store.ts";

const ALLOW = { ...draft({ verdict: "allow" }) };
const DENY = { ...draft({ verdict: "deny" }) };

const RECORDER_WAIT_MS = 50;

/** Time goes by only where a test says so: none is over because the machine is slow. */
async function opened(t: TestContext, outboxDrafts = 100) {
  const clock = new FakeClock();
  const mirrored = await openMirrored(tempDirectory(t), { recorderWaitMs: RECORDER_WAIT_MS, outboxDrafts }, clock);
  t.after(async () => {
    await mirrored.hub.close();
    await mirrored.recorder.close();
  });
  return { ...mirrored, clock };
}

/** Sessions, frames, checkpoints and a change of the key. */
async function fill(recorder: Store): Promise<readonly LedgerRow[]> {
  await keep(recorder, append(), append(), { op: "checkpoint", atMs: 2_000 });
  await recorder.record(frameRecord({ idempotencyKey: "k-1" }));
  await recorder.rotateKey({ atMs: 3_000, body: { person: "ann" } });
  await keep(recorder, append(), { op: "checkpoint", atMs: 4_000 });
  await recorder.record(frameRecord());
  return await recorder.ledgerRows({ afterSeq: 0, limit: 100 });
}

test("a mirror has the same receipts, tree and checkpoints, whatever came in which pieces", async (t) => {
  const { recorder, hub, mirror } = await opened(t);
  const rows = await fill(recorder);
  for (const from of [0, 3, 4]) await mirror.take(rows.slice(from, { 0: 3, 3: 4 }[from]));
  assert.deepEqual(await hub.ledgerRows({ afterSeq: 0, limit: 100 }), rows);
  assert.deepEqual(await hub.treeHead(), await recorder.treeHead());
  assert.deepEqual(await hub.newestCheckpoint(), await recorder.newestCheckpoint());
  assert.deepEqual(await hub.ledgerKeys(), await recorder.ledgerKeys());
  assert.equal((await checkLedger(wholeReceipts(hub))).whole, true);
});

/** The same receipt in the same place, signed by somebody else, or saying something else. */
function forged(row: LedgerRow, change: (receipt: Receipt) => void, privatePem: string): LedgerRow {
  const { proof: _, ...receipt } = JSON.parse(row.raw) as Receipt;
  change(receipt as Receipt);
  const { chain, ...subject } = receipt.credentialSubject;
  const before = chain.previous_receipt_hash as `sha256:${string}` | null;
  const head = before === null ? null : { sequence: chain.sequence - 1, hash: before };
  const unsealed = createReceipt(
    {
      ...{ id: receipt.id, issuanceDate: receipt.issuanceDate, issuer: receipt.issuer },
      credentialSubject: subject,
    } as never,
    { chainId: chain.chain_id, head },
    nodeCrypto(),
  );
  return { ...row, raw: Buffer.from(new Sealer(signerFromPem(privatePem)).sealNow(unsealed)).toString() };
}

test("what doesn't follow from what is there isn't taken, and nothing of what came with it", async (t) => {
  const { recorder, hub, mirror } = await opened(t);
  const rows = await fill(recorder);
  const { privatePem } = generateSigningKey();
  const at = (n: number) => rows[n] as LedgerRow;
  const text = (n: number, from: string | RegExp, to: string) => ({ ...at(n), raw: at(n).raw.replace(from, to) });
  const cases: Record<string, readonly LedgerRow[]> = {
    "a gap": [...rows.slice(0, 2), ...rows.slice(3)],
    "twice the same": [at(0), at(0)],
    "another order": [at(0), { ...at(2), seq: 2 }, { ...at(1), seq: 3 }],
    "not the first": rows.slice(1),
    "a changed word": [at(0), text(1, '"entry":"decided"', '"entry":"DECIDED"')],
    "a changed time": [at(0), text(1, /1970-01-01T00:00:01/g, "1970-01-01T00:00:02")],
    "no JSON": [at(0), { ...at(1), raw: "{" }],
    "another form of the same": [at(0), { ...at(1), raw: ` ${at(1).raw}` }],
    "another key's signature": [at(0), forged(at(1), () => undefined, privatePem)],
    "another ledger": [text(0, /did:key:[^"#]*/g, didOfKey(signerFromPem(privatePem).publicKey))],
    "a checkpoint of another tree": [...rows.slice(0, 3), text(3, /(countersign:[^\\"]*)\\n\d+/, "$1\\n2")],
    "another type than is signed": [at(0), { ...at(1), type: "ended" }],
    "another proposal than is signed": [at(0), { ...at(1), proposalKey: "k2" }],
    "another session than is signed": [at(0), { ...at(1), sessionId: null }],
    "another time than is signed": [at(0), { ...at(1), atMs: 1 }],
    "a frame as the hub's word": [...rows.slice(0, 4), { ...at(4), emitter: null }],
    "a rotation that is hidden": rows.map((row) => (row.type === "key-rotated" ? { ...row, emitter: "uid:1" } : row)),
    "another key after a change": [...rows.slice(0, 6), forged(at(6), () => undefined, privatePem)],
  };
  for (const [name, given] of Object.entries(cases)) {
    await assert.rejects(mirror.take(given), failsWith("RECORDER_INVALID"), name);
    assert.equal(await hub.ledgerHead(), null, name);
  }
  await mirror.take(rows);
  assert.equal((await hub.ledgerHead())?.seq, rows.length);
});

test("a recorder that signs something else than it was told isn't believed", async (t) => {
  const { recorder, hub, mirror, clock } = await opened(t);
  mirror.outbox.problem = undefined;
  const told = hub.commit([{ op: "append", draft: ALLOW }]);
  const [kept] = await eventually(() => mirror.outbox.oldest(1));
  const other = { ...ALLOW, body: { ...ALLOW.body, by: "person" } };
  await keep(recorder, { op: "append", draft: other, key: String(kept?.key) });
  const rows = await recorder.ledgerRows({ afterSeq: 0, limit: 10 });
  await assert.rejects(mirror.take(rows), failsWith("RECORDER_INVALID"));
  clock.advance(RECORDER_WAIT_MS);
  await assert.rejects(told, failsWith("UNCONFIRMED"));
  assert.equal(mirror.outbox.oldest(10).length, 1);
});

async function eventually<T>(look: () => readonly T[]): Promise<readonly T[]> {
  while (look().length === 0) await new Promise((resolve) => setImmediate(resolve));
  return look();
}

test("while the recorder is away, what lets something happen leaves nothing behind; what stops something is kept", async (t) => {
  const { hub, recorder, mirror, connect } = await opened(t);
  const writes = [
    { op: "claim-session", session: session() },
    { op: "insert-proposal", proposal: proposal({ state: "decided" }) },
  ] as const;
  await assert.rejects(hub.commit([...writes, { op: "append", draft: ALLOW }]), failsWith("RECORDER_DOWN"));
  assert.equal(await hub.proposal("k1"), null);
  assert.deepEqual(await hub.commit([...writes, { op: "append", draft: DENY }]), { ok: true, entries: [] });
  assert.equal((await hub.proposal("k1"))?.state, "decided");
  // No drafts, no recorder needed.
  await keep(hub, { op: "put-setting", key: "x", value: 1 });
  await connect();
  const [, entry] = await recorder.ledger({ afterSeq: 0, limit: 10 });
  assert.deepEqual(await hub.ledgerOf("k1"), [entry]);
  assert.equal(mirror.outbox.size, 0);
  assert.equal((await keep(hub, { op: "append", draft: ALLOW }))[0]?.seq, 3);
});

test("each kind of entry is either confirmed before anything follows, or taken in any case", () => {
  const types = [
    "started",
    "preview-decided",
    "revealed",
    "token-created",
    "device-claimed",
    "notify-on",
    "adapter-removed",
    "resumed",
  ] as const;
  for (const type of types) assert.ok(mustBeConfirmed({ ...DENY, type }), type);
  assert.ok(mustBeConfirmed(ALLOW));
  const owed = [
    "ended",
    "preview-ended",
    "policy-changed",
    "paused",
    "token-revoked",
    "auth-failed",
    "notify-off",
    "adapter-installed",
  ] as const;
  for (const type of [...owed, "hub-up", "hub-down"] as const) assert.ok(!mustBeConfirmed({ ...ALLOW, type }), type);
  assert.ok(!mustBeConfirmed(DENY));
});

test("delivered twice, or by a hub that was restored from an old copy, a draft is one receipt", async (t) => {
  const { hub, recorder, mirror, hubPath } = await opened(t);
  await hub.commit([{ op: "append", draft: DENY }]);
  const kept = mirror.outbox.oldest(10);
  const writes = kept.map(({ key, draft }) => ({ op: "append", draft, key }) as const);
  const [first, second] = [await keep(recorder, ...writes), await keep(recorder, ...writes, ...writes)];
  assert.deepEqual(second, [...first, ...first]);
  assert.equal((await recorder.ledgerHead())?.seq, 2);
  await mirror.take(await recorder.ledgerRows({ afterSeq: 0, limit: 10 }));
  const db = new DatabaseSync(hubPath, { readOnly: true });
  assert.deepEqual(db.prepare("SELECT * FROM outbox").all(), []);
  db.close();
});

test("an outbox has a limit, and refuses what could never be a receipt", async (t) => {
  const { hub } = await opened(t, 2);
  const commit = (set: Partial<LedgerDraft>) => hub.commit([{ op: "append", draft: { ...DENY, ...set } }]);
  await assert.rejects(commit({ atMs: 1e300 }), failsWith("INVALID"));
  await assert.rejects(commit({ atMs: 1.5 }), failsWith("INVALID"));
  await assert.rejects(commit({ sessionId: "a\0" }), failsWith("INVALID"));
  await assert.rejects(commit({ body: { text: "x".repeat(1024 * 1024) } }), failsWith("INVALID"));
  await commit({});
  await commit({});
  await assert.rejects(commit({}), failsWith("BUSY"));
});

test("a mirror signs nothing itself, and has no other ledger than its recorder's", async (t) => {
  const { hub, recorder, mirror, hubPath } = await opened(t);
  await assert.rejects(hub.commit([{ op: "checkpoint", atMs: 1 }]), failsWith("UNWRITABLE"));
  await assert.rejects(hub.record(frameRecord()), failsWith("UNWRITABLE"));
  await assert.rejects(hub.rotateKey({ atMs: 1, body: {} }), failsWith("UNWRITABLE"));
  await mirror.take(await fill(recorder));
  await hub.close();
  // Without the recorder's keys it is nobody's to go on with.
  await assert.rejects(openSqliteStore(hubPath), failsWith("OTHER_KEY"));
  const firstKey = signerFromPem(generateSigningKey().privatePem).publicKey;
  const options = { clock: systemClock, limits: DEFAULT_LIMITS, firstKey };
  await assert.rejects(openMirroredStore(hubPath, options), failsWith("OTHER_KEY"));
});

test("what waited in an outbox when the ledger came back to its home is signed there, once", async (t) => {
  const { hub, recorder, mirror, hubPath } = await opened(t);
  await mirror.take(await fill(recorder));
  await hub.commit([{ op: "append", draft: DENY }]);
  await hub.close();
  await recorder.close();
  const keys = join(hubPath, "..", "..", "recorder", "keys");
  assert.equal(mirror.outbox.size, 1);
  for (const _ of [1, 2]) {
    const own = await openSqliteStore(hubPath, keys);
    assert.equal((await own.ledgerOf("k1")).filter(({ body }) => body.verdict === "deny").length, 1);
    assert.equal((await checkLedger(wholeReceipts(own))).whole, true);
    await own.close();
  }
});
