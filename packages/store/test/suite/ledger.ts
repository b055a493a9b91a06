import assert from "node:assert/strict";
import { checkLedger } from "../../src/ledger/check-ledger.ts";
import { LEDGER_TYPES } from "../../src/ledger/entries.ts";
import type { Scenario } from "./opened.ts";
import { append, collect, draft, keep, wholeLedger, wholeReceipts } from "./samples.ts";

export function ledgerScenarios(scenario: Scenario): void {
  scenario("an empty ledger has no head", async (store) => {
    assert.equal(await store.ledgerHead(), null);
    assert.deepEqual(await store.ledger({ afterSeq: 0, limit: 10 }), []);
    assert.deepEqual(await keep(store, { op: "put-setting", key: "x", value: 1 }), []);
  });

  scenario("a commit returns the entries it made, in order, as they are read", async (store) => {
    // That one `rotateKey` alone writes.
    const types = LEDGER_TYPES.filter((type) => type !== "key-rotated");
    const drafts = types.map((type, atMs) => ({ ...draft({ atMs }), type, atMs, sessionId: null }));
    const entries = await keep(store, ...drafts.map((each) => ({ op: "append", draft: each }) as const));
    assert.deepEqual(await store.ledger({ afterSeq: 1, limit: 100 }), entries);
    const unlinked = entries.map(({ seq: _seq, hash: _hash, ...rest }) => rest);
    assert.deepEqual(unlinked, drafts);
    assert.deepEqual(
      entries.map((entry) => entry.seq),
      types.map((_, index) => index + 2),
    );
    const last = entries.at(-1);
    assert.deepEqual(await store.ledgerHead(), { seq: last?.seq, hash: last?.hash });
  });

  scenario("200 concurrent appends make one whole chain", async (store) => {
    const commits = await Promise.all(Array.from({ length: 200 }, (_, n) => keep(store, append({ n }), append({ n }))));
    const check = await checkLedger(wholeReceipts(store));
    assert.deepEqual(check, { whole: true, count: 401, head: check.whole ? check.head : null });
    // The two entries of one commit are neighbours: no other commit gets between.
    for (const [first, second] of commits) assert.equal(second?.seq, (first?.seq ?? 0) + 1);
    const seqs = commits.flat().map((entry) => entry.seq);
    assert.equal(new Set(seqs).size, 400);
  });

  scenario("refused and failed commits between good ones leave no gap", async (store) => {
    const commits = Array.from({ length: 60 }, (_, n) => {
      if (n % 3 === 0) return store.commit([append({ n })]);
      if (n % 3 === 1)
        return store.commit([append({ n }), { op: "close-approval", id: "no", state: "expired", resolution: {} }]);
      return store.commit([append({ n }), append({ n: Number.POSITIVE_INFINITY })]);
    });
    await Promise.allSettled(commits);
    const check = await checkLedger(wholeReceipts(store));
    assert.equal(check.whole && check.count, 21);
  });

  scenario("the ledger is read by pages, in order", async (store) => {
    const entries = await keep(store, ...Array.from({ length: 25 }, (_, n) => append({ n })));
    assert.deepEqual(await store.ledger({ afterSeq: 11, limit: 5 }), entries.slice(10, 15));
    assert.deepEqual(await store.ledger({ afterSeq: 24, limit: 5 }), entries.slice(23));
    assert.deepEqual(await store.ledger({ afterSeq: 26, limit: 5 }), []);
    assert.deepEqual((await collect(wholeLedger(store, 7))).slice(1), entries);
  });
}
