import assert from "node:assert/strict";
import { LedgerVerifier, ownDidKey, type Receipt } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import type { Store } from "../../src/contract/store.ts";
import type { FrameRecord } from "../../src/ledger/frame-record.ts";
import type { Scenario } from "./opened.ts";
import { emittedDraft, frameRecord } from "./sample-frames.ts";
import { append, collect, failsWith, keep, wholeLedger, wholeReceipts } from "./samples.ts";

async function verified(store: Store): Promise<Receipt[]> {
  const verifier = new LedgerVerifier({ crypto: nodeCrypto(), keys: ownDidKey, bytes: "canonical" });
  const receipts: Receipt[] = [];
  for (const { raw } of await collect(wholeReceipts(store))) {
    await verifier.feed(Buffer.from(raw));
    receipts.push(JSON.parse(raw));
  }
  assert.equal((await verifier.finish()).fault, null);
  return receipts;
}

const places = (receipts: readonly Receipt[]) =>
  receipts.map(
    ({ credentialSubject: { chain } }) => `${chain.chain_id.split(":").slice(2).join(":")} ${chain.sequence}`,
  );

export function frameScenarios(scenario: Scenario): void {
  scenario("frames and the hub's own entries share a ledger, each on its chains", async (store) => {
    const [first, [entry], second, third] = await Promise.all([
      store.record(frameRecord()),
      keep(store, append()),
      store.record(frameRecord({ chain: "sandbox:b", emitter: "relay:1" })),
      store.record(frameRecord({ receipts: [emittedDraft("agent_receipts.events_dropped"), emittedDraft()] })),
    ]);
    const all = await verified(store);
    assert.deepEqual(places(all).toSorted(), [
      ...["root 1", "sandbox:b 1", "session:s1 1", "uid:1 1", "uid:1 2", "uid:1 3"],
    ]);
    const seqs = [first, second, third].map((one) => (one.kind === "recorded" ? one.seq : Number.NaN));
    assert.deepEqual(
      seqs.map((seq) => places(all)[seq - 1]),
      ["uid:1 1", "sandbox:b 1", "uid:1 3"],
    );
    // The hub reads back what it said itself.
    assert.deepEqual((await collect(wholeLedger(store))).slice(1), [entry]);
    assert.deepEqual(await store.ledgerOf("k1"), [entry]);
  });

  scenario("frames of one chain keep the order in which they came", async (store) => {
    const frames = Array.from({ length: 500 }, (_, n) => frameRecord({ chain: `uid:${n % 3}` }));
    const recorded = await Promise.all(frames.map((frame) => store.record(frame)));
    const all = await verified(store);
    for (const [index, frame] of frames.entries()) {
      const result = recorded[index];
      assert.ok(result?.kind === "recorded");
      assert.equal(all[result.seq - 1]?.id, frame.receipts[0].id);
      assert.equal(places(all)[result.seq - 1], `${frame.chain} ${Math.floor(index / 3) + 1}`);
    }
  });

  scenario(
    "a key is good for one receipt of its emitter, also when it is used twice at once",
    async (store, { reopen }) => {
      const frame = frameRecord({ idempotencyKey: "k" });
      const [first, again, other] = await Promise.all([
        store.record(frame),
        store.record({ ...frame, receipts: [emittedDraft()] }),
        store.record({ ...frame, receipts: [emittedDraft()], emitter: "uid:2", chain: "uid:2" }),
      ]);
      assert.ok(first.kind === "recorded" && other.kind === "recorded");
      assert.deepEqual(again, { ...first, kind: "repeated" });
      const later = await reopen();
      assert.deepEqual(await later.record(frame), { ...first, kind: "repeated" });
      assert.equal((await verified(later)).length, 3);
    },
  );

  scenario(
    "the same key on several chains at once, begun and new, is one receipt, and no other frame suffers",
    async (store) => {
      await store.record(frameRecord({ chain: "sandbox:a" }));
      const under = (chain: FrameRecord["chain"]) =>
        store.record(frameRecord({ chain, idempotencyKey: "k", receipts: [emittedDraft()] }));
      const others = Array.from({ length: 50 }, () =>
        store.record(frameRecord({ chain: "sandbox:a", receipts: [emittedDraft()] })),
      );
      const twins = await Promise.all([under("sandbox:b"), under("sandbox:a"), under("sandbox:c"), under("sandbox:a")]);
      assert.deepEqual(twins.map(({ kind }) => kind).toSorted(), ["recorded", "repeated", "repeated", "repeated"]);
      assert.equal(new Set(twins.map((twin) => (twin.kind === "refused" ? "" : twin.hash))).size, 1);
      assert.ok((await Promise.all(others)).every(({ kind }) => kind === "recorded"));
      assert.equal((await verified(store)).length, 53);
    },
  );

  scenario("what was taken before the end is on record after it", async (store, { reopen }) => {
    const taken = Array.from({ length: 300 }, (_, n) =>
      store.record(frameRecord({ chain: `uid:${n % 2}`, receipts: [emittedDraft()] })),
    );
    const later = await reopen();
    const seqs = (await Promise.all(taken)).map((one) => (one.kind === "recorded" ? one.seq : Number.NaN));
    assert.equal(new Set(seqs).size, 300);
    assert.equal((await verified(later)).length, 301);
    await assert.rejects(store.record(frameRecord()), failsWith("CLOSED"));
  });

  scenario("what can't be a receipt takes no other frame with it, and leaves nothing of itself", async (store) => {
    const [good] = await Promise.all([
      store.record(frameRecord()),
      assert.rejects(store.record(frameRecord({ receipts: [emittedDraft(), emittedDraft("")] })), failsWith("INVALID")),
      assert.rejects(store.record(frameRecord({ idempotencyKey: "a\0" })), failsWith("INVALID")),
      store.record(frameRecord({ receipts: [emittedDraft()] })),
    ]);
    assert.equal(good.kind, "recorded");
    assert.deepEqual(places(await verified(store)), ["root 1", "uid:1 1", "uid:1 2"]);
  });

  scenario("chains that an emitter begins in a day have a limit", async (store) => {
    const begin = (chain: FrameRecord["chain"], atMs: number) =>
      store.record(frameRecord({ chain, atMs, chainsPerDay: 1 }));
    assert.equal((await begin("sandbox:a", 0)).kind, "recorded");
    assert.deepEqual(await begin("sandbox:b", 1), { kind: "refused", refusal: "TOO_MANY_CHAINS" });
    assert.equal((await begin("sandbox:a", 1)).kind, "recorded");
    assert.equal((await begin("sandbox:b", 86_400_001)).kind, "recorded");
    assert.equal((await verified(store)).length, 4);
  });

  scenario("a frame that calls itself an epoch opens none", async (store) => {
    await store.record(frameRecord({ receipts: [emittedDraft("epoch-opened")] }));
    assert.equal((await store.ledgerIdentity())?.epoch, 1);
  });
}
