import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { silentLog } from "@countersign/core/base";
import { LedgerVerifier, openCheckpoint, ownDidKey } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { FakeClock } from "../../../hub/test/support/fake-clock.ts";
import { append, collect, keep, wholeLedger, wholeReceipts } from "../../test/suite/samples.ts";
import { tempDirectory } from "../../test/temp-store.ts";
import type { Store } from "../contract/store.ts";
import { openSqliteStore } from "../sqlite/open-sqlite-store.ts";
import { Checkpoints } from "./checkpoints.ts";
import { WitnessFile } from "./witness-file.ts";

const crypto = nodeCrypto();

interface Bench {
  readonly store: Store;
  readonly checkpoints: Checkpoints;
  readonly clock: FakeClock;
  stop(): Promise<void>;
}

/** A ledger with its checkpoints, as a hub has them. */
async function start(t: TestContext, directory: string): Promise<Bench> {
  const store = await openSqliteStore(join(directory, "countersign.db"));
  t.after(() => store.close());
  const clock = new FakeClock();
  const witness = new WitnessFile(join(directory, "elsewhere/witness.jsonl"));
  const opened = await Checkpoints.open({ store, clock, log: silentLog, witness });
  await keep(store, append({ up: true }));
  const checkpoints = await opened.begin();
  store.onAppend(() => checkpoints.follow());
  return {
    ...{ store, checkpoints, clock },
    async stop() {
      await checkpoints.close();
      await store.close();
    },
  };
}

const notes = (directory: string): string[] =>
  readFileSync(join(directory, "elsewhere/witness.jsonl"), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as string);
const types = async (store: Store) => (await collect(wholeLedger(store))).map(({ type }) => type);

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 30_000; tries += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  assert.fail("it never happened");
}

test("what came is signed after a while and at the end, on record and elsewhere; nothing new, no checkpoint", async (t) => {
  const directory = tempDirectory(t);
  const { store, clock, stop } = await start(t, directory);
  await keep(store, append(), append());
  clock.advance(60_000);
  await until(async () => (await types(store)).includes("checkpoint"));
  clock.advance(60_000);
  clock.advance(60_000);
  await keep(store, append());
  await stop();
  const again = await openSqliteStore(join(directory, "countersign.db"));
  t.after(() => again.close());
  assert.deepEqual(await types(again), [
    ...["ledger-opened", "decided", "decided", "decided", "checkpoint", "decided", "checkpoint"],
  ]);
  const opened = await Promise.all(
    notes(directory).map(
      async (note) => await openCheckpoint(note, (await again.ledgerKeys())[0] as Uint8Array, crypto),
    ),
  );
  assert.deepEqual(
    opened.map((one) => one.kind === "checkpoint" && one.checkpoint.size),
    [4, 6],
  );
  const verifier = new LedgerVerifier({ crypto, keys: ownDidKey, bytes: "canonical" });
  for (const { raw } of await collect(wholeReceipts(again))) await verifier.feed(Buffer.from(raw));
  assert.equal((await verifier.finish()).fault, null);
});

test("a thousand receipts don't wait for the time", async (t) => {
  const { store, stop } = await start(t, tempDirectory(t));
  for (let n = 0; n < 1_000; n += 1) await keep(store, append({ n }));
  await until(async () => (await store.newestCheckpoint()) !== null);
  await stop();
});

test("a ledger that holds all that was witnessed goes on as it was", async (t) => {
  const directory = tempDirectory(t);
  for (let round = 0; round < 3; round += 1) {
    const { store, checkpoints, stop } = await start(t, directory);
    assert.equal(checkpoints.setback, undefined);
    assert.equal((await store.ledgerIdentity())?.epoch, 1);
    await stop();
  }
});

test("an older copy, a cut tail, another history and another ledger each open a new epoch, on record", async (t) => {
  const directory = tempDirectory(t);
  const path = join(directory, "countersign.db");
  const copy = join(directory, "copy.db");
  const first = await start(t, directory);
  await first.stop();
  cpSync(path, copy);
  const second = await start(t, directory);
  await keep(second.store, append());
  await second.stop();

  const restored = async (how: string, epoch: number) => {
    const { store, checkpoints, stop } = await start(t, directory);
    assert.match(checkpoints.setback ?? "", new RegExp(`epoch ${epoch}\\.$`));
    const [entry] = (await collect(wholeLedger(store))).filter(({ type }) => type === "epoch-opened").slice(-1);
    assert.deepEqual([entry?.body.how, entry?.body.epoch], [how, epoch]);
    assert.deepEqual(await store.ledgerIdentity(), { ...(await store.ledgerIdentity()), epoch });
    await stop();
    const calm = await start(t, directory);
    assert.equal(calm.checkpoints.setback, undefined);
    await calm.stop();
  };

  cpSync(copy, path);
  await restored("rolled-back", 2);

  const db = new DatabaseSync(path);
  db.exec("DROP TRIGGER tree_node_no_update; UPDATE tree_node SET hash = zeroblob(32) WHERE level = 0 AND idx = 0");
  for (const { level, idx } of db.prepare("SELECT level, idx FROM tree_node WHERE level > 0 AND idx = 0").all()) {
    db.prepare("UPDATE tree_node SET hash = zeroblob(32) WHERE level = ? AND idx = ?").run(Number(level), Number(idx));
  }
  db.close();
  await restored("forked", 3);

  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
  await restored("replaced", 4);
});

test("an older copy is found over a change of the key too, put back with the keys of that time", async (t) => {
  const directory = tempDirectory(t);
  const kept = ["countersign.db", "keys"];
  await (await start(t, directory)).stop();
  for (const name of kept) cpSync(join(directory, name), join(directory, "backup", name), { recursive: true });
  const { store, stop } = await start(t, directory);
  await store.rotateKey({ atMs: 1, body: {} });
  await stop();
  for (const name of kept) {
    rmSync(join(directory, name), { recursive: true });
    cpSync(join(directory, "backup", name), join(directory, name), { recursive: true });
  }
  const restored = await start(t, directory);
  assert.match(restored.checkpoints.setback ?? "", /older copy.*epoch 2\.$/);
  await restored.stop();
  const calm = await start(t, directory);
  assert.equal(calm.checkpoints.setback, undefined);
  await calm.stop();
});

test("torn lines and others' notes in the witness file are passed over; one that can't be written is told", async (t) => {
  const directory = tempDirectory(t);
  const { stop } = await start(t, directory);
  await stop();
  const file = join(directory, "elsewhere/witness.jsonl");
  writeFileSync(file, `${readFileSync(file, "utf8")}"someone else's"\n{}\n"half`);
  const { checkpoints, stop: stopAgain } = await start(t, directory);
  assert.equal(checkpoints.setback, undefined);
  rmSync(file);
  cpSync(join(directory, "keys"), file, { recursive: true });
  await stopAgain();
  assert.match(checkpoints.problem ?? "", /isn't kept in .*witness\.jsonl.*EISDIR/);
});

test("a checkpoint that couldn't be kept elsewhere is kept a minute later, though nothing follows", async (t) => {
  const directory = tempDirectory(t);
  const { checkpoints, clock, store, stop } = await start(t, directory);
  const file = join(directory, "elsewhere/witness.jsonl");
  cpSync(join(directory, "keys"), file, { recursive: true });
  await checkpoints.sign();
  assert.match(checkpoints.problem ?? "", /EISDIR/);
  rmSync(file, { recursive: true });
  clock.advance(60_000);
  await until(async () => checkpoints.problem === undefined);
  assert.equal(notes(directory).length, 1);
  assert.equal((await types(store)).filter((type) => type === "checkpoint").length, 1);
  await stop();
});
