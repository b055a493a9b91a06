import assert from "node:assert/strict";
import type { Scenario } from "./opened.ts";
import { append, approval, failsWith, keep, proposal, session } from "./samples.ts";

export function lifecycleScenarios(scenario: Scenario): void {
  scenario("everything survives closing and opening again", async (store, opened) => {
    const entries = await keep(
      store,
      { op: "claim-session", session: session() },
      { op: "insert-proposal", proposal: proposal({ outcome: { kind: "ran" } }) },
      { op: "insert-approval", approval: approval() },
      { op: "put-setting", key: "x", value: { y: 1 } },
      { op: "count-entry-use", profileId: "p", entryIds: ["e"], atMs: 1 },
      append({ n: 1 }),
    );
    const again = await opened.reopen();
    assert.deepEqual(await again.session("s1"), session());
    assert.deepEqual(await again.proposal("k1"), proposal({ outcome: { kind: "ran" } }));
    assert.deepEqual(await again.approval("a1"), approval());
    assert.deepEqual(await again.setting("x"), { y: 1 });
    assert.deepEqual(await again.entryUses("p"), [{ entryId: "e", hits: 1, lastUsedAtMs: 1 }]);
    assert.deepEqual(await again.ledger({ afterSeq: 1, limit: 10 }), entries);
    const [next] = await keep(again, append({ n: 2 }));
    assert.equal(next?.seq, 3);
  });

  scenario("closing keeps the commits under way", async (store, opened) => {
    const commits = Array.from({ length: 50 }, (_, n) => store.commit([append({ n })]));
    await store.close();
    assert.ok((await Promise.all(commits)).every((commit) => commit.ok));
    assert.equal((await (await opened.reopen()).ledgerHead())?.seq, 51);
  });

  scenario("after closing every call says CLOSED, but closing again is harmless", async (store, opened) => {
    await Promise.all([store.close(), store.close()]);
    await store.close();
    const calls = [
      () => store.commit([append()]),
      () => store.session("s"),
      () => store.proposal("k"),
      () => store.proposals(["k"]),
      () => store.proposals([]),
      () => store.proposalOf("o", "p"),
      () => store.openProposals(),
      () => store.approval("a"),
      () => store.pendingApprovals({ limit: 1 }),
      () => store.ledger({ afterSeq: 0, limit: 1 }),
      () => store.ledgerHead(),
      () => store.setting("x"),
      () => store.entryUses("p"),
      () => store.outcomeCounts(0),
      () => store.backup(opened.backupPath()),
    ];
    for (const call of calls) await assert.rejects(call(), failsWith("CLOSED"), String(call));
  });

  scenario("a backup doesn't disturb commits and never overwrites", async (store, opened) => {
    const target = opened.backupPath();
    await keep(store, append());
    const [, ...commits] = await Promise.all([
      store.backup(target),
      ...Array.from({ length: 20 }, (_, n) => keep(store, append({ n }))),
    ]);
    assert.equal(commits.length, 20);
    await assert.rejects(store.backup(target), failsWith("EXISTS"));
    assert.equal((await store.ledgerHead())?.seq, 22);
  });

  scenario("closing waits for a backup", async (store, opened) => {
    await keep(store, append());
    const backup = store.backup(opened.backupPath());
    await store.close();
    await backup;
  });
}
