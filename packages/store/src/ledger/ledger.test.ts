import assert from "node:assert/strict";
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import {
  digestOf,
  LedgerVerifier,
  leafHash,
  publicKeyFromPem,
  type Receipt,
  TreeFrontier,
  trustKey,
} from "@countersign/receipts";
import { generateSigningKey, nodeCrypto } from "@countersign/receipts/node";
import { collect, draft, failsWith, keep, wholeLedger, wholeReceipts } from "../../test/suite/samples.ts";
import { tempDirectory } from "../../test/temp-store.ts";
import type { Store } from "../contract/store.ts";
import { openSqliteStore } from "../sqlite/open-sqlite-store.ts";
import type { LedgerDraft } from "./entries.ts";

const crypto = nodeCrypto();

async function open(t: TestContext, directory = tempDirectory(t)): Promise<{ store: Store; directory: string }> {
  const store = await openSqliteStore(join(directory, "countersign.db"));
  t.after(() => store.close());
  return { store, directory };
}

const say = (store: Store, ...drafts: readonly LedgerDraft[]) =>
  keep(store, ...drafts.map((one) => ({ op: "append", draft: one }) as const));
const inSession = (sessionId: string | null, body = {}): LedgerDraft => ({ ...draft(body), sessionId });

async function receipts(store: Store): Promise<Receipt[]> {
  return (await collect(wholeReceipts(store))).map(({ raw }) => JSON.parse(raw) as Receipt);
}

test("each session has a chain of its own, which begins at the root's tip; one tree holds them all", async (t) => {
  const { store, directory } = await open(t);
  await say(store, inSession("a"), inSession(null), inSession("b"), inSession("a"), inSession("b"));
  const all = await receipts(store);
  const [opened, ...rest] = all;
  const root = opened?.credentialSubject.chain.chain_id ?? "";
  assert.match(root, /^countersign:[0-9a-f-]{36}:root$/);
  const installation = root.replace(/:root$/, "");
  assert.deepEqual(
    rest.map(({ credentialSubject: { chain } }) => [chain.chain_id.slice(installation.length), chain.sequence]),
    [
      [":session:a", 1],
      [":root", 2],
      [":session:b", 1],
      [":session:a", 2],
      [":session:b", 2],
    ],
  );
  const anchors = rest.map(
    ({ issuer }) => (issuer.runtime as { parentChainRef?: { sequence: number } }).parentChainRef,
  );
  assert.deepEqual(
    anchors.map((anchor) => anchor?.sequence),
    [1, undefined, 2, undefined, undefined],
  );
  const key = publicKeyFromPem(readFileSync(join(directory, "keys/receipts.pub.pem"), "utf8"));
  const verifier = new LedgerVerifier({ crypto, keys: trustKey(key as Uint8Array), bytes: "canonical" });
  for (const { raw } of await collect(wholeReceipts(store))) await verifier.feed(Buffer.from(raw));
  const { isWhole, chains, tree } = await verifier.finish();
  assert.deepEqual([isWhole, chains, tree.size], [true, 3, 6]);
  assert.deepEqual(storedRoot(directory, 6), Buffer.from(tree.root));
});

/** The tree's root, from the nodes that were kept. */
function storedRoot(directory: string, size: number): Buffer {
  const db = new DatabaseSync(join(directory, "countersign.db"), { readOnly: true });
  const node = db.prepare("SELECT hash FROM tree_node WHERE level = ? AND idx = ?");
  const frontier = new TreeFrontier(crypto);
  for (let leaf = 0; leaf < size; leaf += 1) frontier.append(node.get(0, leaf)?.hash as Uint8Array);
  for (const { hash } of db.prepare("SELECT hash FROM receipt ORDER BY seq").all()) {
    const leaf = leafHash(digestOf(String(hash)) as Uint8Array, crypto);
    assert.ok(db.prepare("SELECT 1 FROM tree_node WHERE level = 0 AND hash = ?").get(leaf));
  }
  db.close();
  return Buffer.from(frontier.root());
}

test("the tree goes on where it was, over restarts and commits that failed", async (t) => {
  const directory = tempDirectory(t);
  for (let round = 0; round < 9; round += 1) {
    const { store } = await open(t, directory);
    await say(store, ...Array.from({ length: round }, (_, n) => inSession(n % 2 === 0 ? "s" : null)));
    await assert.rejects(say(store, inSession("new", { n: Number.NaN })), failsWith("INVALID"));
    await store.close();
  }
  const { store } = await open(t, directory);
  const size = (await collect(wholeLedger(store))).length;
  const verifier = new LedgerVerifier({ crypto, keys: () => ownKey(directory), bytes: "canonical" });
  for (const { raw } of await collect(wholeReceipts(store))) await verifier.feed(Buffer.from(raw));
  const { isWhole, tree, chains } = await verifier.finish();
  assert.deepEqual([isWhole, tree.size, chains], [true, size, 2]);
  assert.deepEqual(storedRoot(directory, size), Buffer.from(tree.root));
});

function ownKey(directory: string): Uint8Array | null {
  return publicKeyFromPem(readFileSync(join(directory, "keys/receipts.pub.pem"), "utf8"));
}

test("keys are for their owner alone, and the next one is committed to before it is needed", async (t) => {
  const { store, directory } = await open(t);
  await say(store, inSession(null));
  const keys = join(directory, "keys");
  assert.deepEqual(readdirSync(keys).sort(), [
    "receipts-next.pem",
    "receipts-next.pub.pem",
    "receipts.pem",
    "receipts.pub.pem",
  ]);
  for (const name of readdirSync(keys)) assert.equal(statSync(join(keys, name)).mode & 0o777, 0o600, name);
  const [opened] = await receipts(store);
  assert.match(String(opened?.issuer.runtime?.nextKey), /^sha256:[0-9a-f]{64}$/);
  // The private half may be kept elsewhere.
  rmSync(join(keys, "receipts-next.pem"));
  await store.close();
  const { store: again } = await open(t, directory);
  await say(again, inSession(null));
});

test("a ledger whose key is gone, or another one, isn't written to, and no key is made for it", async (t) => {
  const { store, directory } = await open(t);
  await say(store, inSession(null));
  await store.close();
  const [path, key] = [join(directory, "countersign.db"), join(directory, "keys/receipts.pem")];
  const kept = join(directory, "kept.pem");
  copyFileSync(key, kept);
  rmSync(key);
  await assert.rejects(openSqliteStore(path), failsWith("OTHER_KEY"));
  assert.ok(!readdirSync(join(directory, "keys")).includes("receipts.pem"));
  writeFileSync(key, generateSigningKey().privatePem, { mode: 0o600 });
  await assert.rejects(openSqliteStore(path), failsWith("OTHER_KEY"));
  copyFileSync(kept, key);
  const { store: again } = await open(t, directory);
  assert.equal((await say(again, inSession(null)))[0]?.seq, 3);
});
