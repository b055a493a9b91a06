import assert from "node:assert/strict";
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { didOfKey, didUrlOfKey, keyFingerprint, LedgerVerifier, type Receipt, trustKey } from "@countersign/receipts";
import { nodeCrypto, signerFromPem } from "@countersign/receipts/node";
import { emittedDraft, frameRecord } from "../../test/suite/sample-frames.ts";
import { append, collect, draft, failsWith, keep, wholeReceipts } from "../../test/suite/samples.ts";
import { tempDirectory } from "../../test/temp-store.ts";
import type { Store } from "../contract/store.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

const crypto = nodeCrypto();
const ROTATION = { atMs: 2_000, body: { person: "ann" } };

interface Place {
  readonly store: Store;
  readonly path: string;
  readonly keys: string;
}

async function open(t: TestContext): Promise<Place> {
  const directory = tempDirectory(t);
  const path = join(directory, "x.db");
  const store = await openSqliteStore(path);
  t.after(() => store.close());
  return { store, path, keys: join(directory, "keys") };
}

const publicKeyIn = (path: string) => signerFromPem(readFileSync(path, "utf8")).publicKey;
const receiptsOf = async (store: Store) =>
  (await collect(wholeReceipts(store))).map(({ raw }) => JSON.parse(raw) as Receipt);

/** As somebody verifies it who knows only the first key. */
async function verify(store: Store, firstKey: Uint8Array) {
  const verifier = new LedgerVerifier({ crypto, keys: trustKey(firstKey), bytes: "canonical" });
  for await (const { raw } of wholeReceipts(store)) await verifier.feed(Buffer.from(raw));
  return await verifier.finish();
}

test("the old key names the next one, which was committed to, and then is gone; the ledger goes on", async (t) => {
  const { store, keys } = await open(t);
  await keep(store, append());
  const [first, second] = ["receipts.pem", "receipts-next.pem"].map((name) => publicKeyIn(join(keys, name)));
  const firstPublicPem = readFileSync(join(keys, "receipts.pub.pem"), "utf8");
  const entry = await store.rotateKey(ROTATION);
  assert.deepEqual([entry.type, entry.body, entry.sessionId], ["key-rotated", { person: "ann" }, null]);
  await keep(store, append(), { op: "checkpoint", atMs: 3_000 });

  const { fault, publicKey, chains } = await verify(store, first as Uint8Array);
  assert.deepEqual([fault, publicKey, chains], [null, second, 3]);
  assert.deepEqual(await store.ledgerKeys(), [second, first]);
  assert.deepEqual(publicKeyIn(join(keys, "receipts.pem")), second);
  const receipts = await receiptsOf(store);
  const rotation = receipts.find(({ credentialSubject }) => credentialSubject.keyRotation);
  const third = publicKeyIn(join(keys, "receipts-next.pem"));
  assert.equal(rotation?.issuer.runtime?.nextKey, keyFingerprint(third, crypto));
  assert.equal(rotation?.proof.verificationMethod, didUrlOfKey(first as Uint8Array));
  assert.ok(receipts.every(({ issuer }) => issuer.id === didOfKey(first as Uint8Array)));
  // What others know the ledger by stays; nothing else is left.
  assert.equal(readFileSync(join(keys, "receipts.pub.pem"), "utf8"), firstPublicPem);
  const names = ["receipts-next.pem", "receipts-next.pub.pem", "receipts.pem", "receipts.pub.pem"];
  assert.deepEqual(readdirSync(keys).sort(), names);
});

test("a chain goes on as another one, which says from where; over several changes too", async (t) => {
  const { store, keys } = await open(t);
  const first = publicKeyIn(join(keys, "receipts.pem"));
  await keep(store, append());
  await store.record(frameRecord());
  await store.rotateKey(ROTATION);
  await keep(store, append());
  await store.rotateKey(ROTATION);
  await keep(store, append());
  await store.record(frameRecord());
  const chains = new Map((await receiptsOf(store)).map((each) => [each.credentialSubject.chain.chain_id, each]));
  const continued = (of: string) =>
    [...chains].filter(([id]) => id.endsWith(of)).map(([, { issuer }]) => Object(issuer.runtime?.continues).chain_id);
  const sessions = [...chains.keys()].filter((id) => id.endsWith(":session:s1"));
  assert.deepEqual(continued(":session:s1"), [undefined, ...sessions.slice(0, 2)]);
  assert.deepEqual(continued(":uid:1"), [undefined, [...chains.keys()].find((id) => id.endsWith(":uid:1"))]);
  assert.equal((await verify(store, first)).fault, null);
});

test("a chain that goes on isn't a new one to those who may begin only so many", async (t) => {
  const { store } = await open(t);
  const frame = () => frameRecord({ chainsPerDay: 1 });
  await store.record(frame());
  for (const kind of ["recorded", "recorded"] as const) {
    await store.rotateKey(ROTATION);
    assert.equal((await store.record(frame())).kind, kind);
  }
  assert.equal((await store.record({ ...frame(), chain: "sandbox:new" })).kind, "refused");
});

test("while the key changes, commits and frames go on, none is lost, and each is signed with the key of its place", async (t) => {
  const { store, keys } = await open(t);
  const first = publicKeyIn(join(keys, "receipts.pem"));
  const frames = Array.from({ length: 1_500 }, (_, n) =>
    frameRecord({ chain: n % 2 === 0 ? "uid:1" : "sandbox:a", idempotencyKey: `k-${n}`, receipts: [emittedDraft()] }),
  );
  const recorded: Promise<unknown>[] = [];
  const commits: Promise<unknown>[] = [];
  const rotations: Promise<unknown>[] = [];
  for (const [n, frame] of frames.entries()) {
    recorded.push(store.record(frame));
    if (n % 10 === 0) commits.push(keep(store, { op: "append", draft: { ...draft({ n }), sessionId: `s${n % 3}` } }));
    if (n % 400 === 200) rotations.push(store.rotateKey(ROTATION));
    if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all([...recorded, ...commits, ...rotations]);
  const { fault, count } = await verify(store, first);
  assert.equal(fault, null);
  assert.equal(count, 1 + frames.length + commits.length + rotations.length);
  // Each chain's frames in the order in which they came.
  const ids = (await receiptsOf(store)).map(({ id }) => id);
  for (const chain of ["uid:1", "sandbox:a"]) {
    const sent = frames.filter((frame) => frame.chain === chain).map(({ receipts }) => receipts[0].id);
    const wanted = new Set(sent);
    assert.deepEqual(
      ids.filter((id) => wanted.has(id)),
      sent,
    );
  }
});

test("the key changes only so often: every proof has to follow each of them for ever", async (t) => {
  const { store, keys } = await open(t);
  const first = publicKeyIn(join(keys, "receipts.pem"));
  await keep(store, append());
  for (let change = 0; change < 24; change += 1) await store.rotateKey(ROTATION);
  const inForce = await store.ledgerKeys();
  await assert.rejects(store.rotateKey(ROTATION), failsWith("BUSY"));
  assert.deepEqual(await store.ledgerKeys(), inForce);
  await store.rotateKey({ ...ROTATION, atMs: ROTATION.atMs + 86_400_000 });
  assert.equal((await verify(store, first)).fault, null);
});

test("without the next key, or with another one in its place, nothing changes", async (t) => {
  const { store, keys } = await open(t);
  await keep(store, append());
  const [next, away] = [join(keys, "receipts-next.pem"), join(keys, "away.pem")];
  renameSync(next, away);
  await assert.rejects(store.rotateKey(ROTATION), failsWith("NO_NEXT_KEY"));
  copyFileSync(join(keys, "receipts.pem"), next);
  await assert.rejects(store.rotateKey(ROTATION), failsWith("NO_NEXT_KEY"));
  const before = await store.ledgerHead();
  await keep(store, append());
  assert.equal((await store.ledgerHead())?.seq, (before?.seq ?? 0) + 1);
  renameSync(away, next);
  await store.rotateKey(ROTATION);
  assert.equal((await store.ledgerKeys()).length, 2);
});

test("a copy from before the change isn't signed on with another key, and the keys stay as they are", async (t) => {
  const { store, path, keys } = await open(t);
  await keep(store, append());
  const old = `${path}.old`;
  await store.backup(old);
  await store.rotateKey(ROTATION);
  await store.close();
  const before = readdirSync(keys).map((name) => readFileSync(join(keys, name), "utf8"));
  await assert.rejects(openSqliteStore(old, keys), failsWith("OTHER_KEY"));
  assert.deepEqual(
    readdirSync(keys).map((name) => readFileSync(join(keys, name), "utf8")),
    before,
  );
  const again = await openSqliteStore(path);
  await keep(again, append());
  await again.close();
  rmSync(join(keys, "receipts.pem"));
  await assert.rejects(openSqliteStore(path), failsWith("OTHER_KEY"));
  assert.equal(existsSync(join(keys, "receipts.pem")), false);
});
