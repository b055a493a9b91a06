import assert from "node:assert/strict";
import type { Scenario } from "./opened.ts";
import { append, approval, failsWith, keep, proposal, refused, session } from "./samples.ts";

export function writeScenarios(scenario: Scenario): void {
  sessionScenarios(scenario);
  proposalScenarios(scenario);
  approvalScenarios(scenario);
  atomicityScenarios(scenario);
  raceScenarios(scenario);
}

function sessionScenarios(scenario: Scenario): void {
  scenario("a session is claimed once and stays as it was made", async (store) => {
    await keep(store, { op: "claim-session", session: session() });
    await keep(store, { op: "claim-session", session: session({ agentName: "other", createdAtMs: 2_000 }) });
    assert.deepEqual(await store.session("s1"), session());
  });

  scenario("another owner's session is refused", async (store) => {
    await keep(store, { op: "claim-session", session: session() });
    const commit = await store.commit([{ op: "claim-session", session: session({ ownerId: "bob" }) }]);
    assert.deepEqual(commit, refused("SESSION_FOREIGN"));
    assert.deepEqual(await store.session("s1"), session());
  });
}

function proposalScenarios(scenario: Scenario): void {
  scenario("a proposalId is taken once by each owner", async (store) => {
    const first = proposal({ key: "k1", proposalId: "p" });
    const others = proposal({ key: "k2", proposalId: "p", ownerId: "bob" });
    await keep(store, { op: "insert-proposal", proposal: first }, { op: "insert-proposal", proposal: others });
    const again = await store.commit([{ op: "insert-proposal", proposal: proposal({ key: "k3", proposalId: "p" }) }]);
    assert.deepEqual(again, refused("PROPOSAL_EXISTS"));
    assert.deepEqual(await store.proposalOf("ann", "p"), first);
    assert.deepEqual(await store.proposalOf("bob", "p"), others);
    assert.equal(await store.proposal("k3"), null);
  });

  scenario("a repeated key is the caller's bug", async (store) => {
    await keep(store, { op: "insert-proposal", proposal: proposal() });
    const again = store.commit([{ op: "insert-proposal", proposal: proposal({ proposalId: "other" }) }]);
    await assert.rejects(again, failsWith("FAILED"));
  });

  scenario("a proposal advances from the state it is in, and only the fields named change", async (store) => {
    await keep(store, { op: "insert-proposal", proposal: proposal() });
    await keep(store, { op: "advance-proposal", key: "k1", from: "pending", to: "decided", set: { approvalId: "a1" } });
    assert.deepEqual(await store.proposal("k1"), proposal({ state: "decided", approvalId: "a1" }));
    await keep(store, { op: "advance-proposal", key: "k1", from: "decided", to: "started" });
    assert.deepEqual(await store.proposal("k1"), proposal({ state: "started", approvalId: "a1" }));
    const set = { command: "ls", env: {}, endedAtMs: 5_000, outcome: { kind: "ran", exitCode: 0 }, approvalId: null };
    await keep(store, { op: "advance-proposal", key: "k1", from: "started", to: "ended", set });
    assert.deepEqual(await store.proposal("k1"), proposal({ state: "ended", ...set }));
  });

  scenario("advancing from another state, or nothing, is refused", async (store) => {
    await keep(store, { op: "insert-proposal", proposal: proposal() });
    const late = await store.commit([{ op: "advance-proposal", key: "k1", from: "decided", to: "started" }]);
    assert.deepEqual(late, refused("STATE_CHANGED"));
    const absent = await store.commit([{ op: "advance-proposal", key: "none", from: "pending", to: "decided" }]);
    assert.deepEqual(absent, refused("STATE_CHANGED"));
    assert.deepEqual(await store.proposal("k1"), proposal());
  });

  scenario("a proposal never goes back", async (store) => {
    await keep(store, { op: "insert-proposal", proposal: proposal({ state: "ended" }) });
    const back = store.commit([{ op: "advance-proposal", key: "k1", from: "ended", to: "pending" }]);
    await assert.rejects(back, failsWith("INVALID"));
    assert.deepEqual(await store.proposal("k1"), proposal({ state: "ended" }));
  });

  scenario("pruning forgets outcomes that ended before, and nothing else", async (store) => {
    const ended = (key: string, endedAtMs: number) =>
      proposal({ key, state: "ended", endedAtMs, outcome: { kind: "ran", stdout: "x" } });
    const writes = [ended("k1", 10), ended("k2", 20), proposal({ key: "k3" })].map(
      (each) => ({ op: "insert-proposal", proposal: each }) as const,
    );
    await keep(store, ...writes);
    await keep(store, { op: "prune-outcomes", endedBeforeMs: 20 });
    assert.deepEqual(await store.proposals(["k1", "k2", "k3"]), [
      { ...ended("k1", 10), outcome: null },
      ended("k2", 20),
      proposal({ key: "k3" }),
    ]);
    assert.deepEqual(await store.outcomeCounts(0), { ran: 2 });
  });
}

function approvalScenarios(scenario: Scenario): void {
  scenario("an approval closes once, into each of its ends", async (store) => {
    for (const state of ["resolved", "expired", "cancelled"] as const) {
      await keep(store, { op: "insert-approval", approval: approval({ id: state }) });
      await keep(store, { op: "close-approval", id: state, state, resolution: { by: "ann" } });
      assert.deepEqual(await store.approval(state), approval({ id: state, state, resolution: { by: "ann" } }));
      const again = await store.commit([{ op: "close-approval", id: state, state: "resolved", resolution: {} }]);
      assert.deepEqual(again, refused("NOT_PENDING"));
      assert.deepEqual(await store.approval(state), approval({ id: state, state, resolution: { by: "ann" } }));
    }
  });

  scenario("what is kept of an approval may be less than what was shown", async (store) => {
    await keep(store, { op: "insert-approval", approval: approval() });
    const { id } = approval();
    const payload = { command: "less" };
    await keep(store, { op: "close-approval", id, state: "resolved", resolution: {}, payload });
    assert.deepEqual(await store.approval(id), approval({ state: "resolved", resolution: {}, payload }));
  });

  scenario("an approval that isn't there can't be closed, and an id can't be used twice", async (store) => {
    const absent = await store.commit([{ op: "close-approval", id: "none", state: "expired", resolution: {} }]);
    assert.deepEqual(absent, refused("NOT_PENDING"));
    await keep(store, { op: "insert-approval", approval: approval() });
    await assert.rejects(store.commit([{ op: "insert-approval", approval: approval() }]), failsWith("FAILED"));
  });

  scenario("delivery is marked once, on pending approvals only", async (store) => {
    await keep(store, { op: "insert-approval", approval: approval({ id: "a1" }) });
    await keep(store, { op: "insert-approval", approval: approval({ id: "a2", deliveredAtMs: 5 }) });
    await keep(store, { op: "insert-approval", approval: approval({ id: "a3", state: "expired", resolution: {} }) });
    await keep(store, { op: "mark-delivered", ids: ["a1", "a2", "a3", "none"], atMs: 50 });
    await keep(store, { op: "mark-delivered", ids: ["a1"], atMs: 60 });
    assert.equal((await store.approval("a1"))?.deliveredAtMs, 50);
    assert.equal((await store.approval("a2"))?.deliveredAtMs, 5);
    assert.equal((await store.approval("a3"))?.deliveredAtMs, null);
  });
}

function atomicityScenarios(scenario: Scenario): void {
  scenario("a refused commit leaves nothing and names the write that refused", async (store) => {
    await keep(store, append(), { op: "put-setting", key: "x", value: 1 });
    const head = await store.ledgerHead();
    const commit = await store.commit([
      { op: "claim-session", session: session() },
      append({ lost: true }),
      { op: "put-setting", key: "x", value: 2 },
      { op: "insert-approval", approval: approval() },
      { op: "count-entry-use", profileId: "default", entryIds: ["e1"], atMs: 1 },
      { op: "advance-proposal", key: "none", from: "pending", to: "decided" },
      append(),
    ]);
    assert.deepEqual(commit, refused("STATE_CHANGED", 5));
    assert.equal(await store.session("s1"), null);
    assert.equal(await store.setting("x"), 1);
    assert.equal(await store.approval("a1"), null);
    assert.deepEqual(await store.entryUses("default"), []);
    assert.deepEqual(await store.ledgerHead(), head);
  });

  scenario("a commit sees its own writes", async (store) => {
    const commit = await store.commit([
      { op: "insert-proposal", proposal: proposal() },
      { op: "advance-proposal", key: "k1", from: "pending", to: "decided" },
      { op: "advance-proposal", key: "k1", from: "pending", to: "ended" },
    ]);
    assert.deepEqual(commit, refused("STATE_CHANGED", 2));
    assert.equal(await store.proposal("k1"), null);
  });

  scenario("commits made together keep their order and don't take each other down", async (store) => {
    const settled = await Promise.allSettled([
      store.commit([{ op: "insert-proposal", proposal: proposal() }]),
      store.commit([{ op: "advance-proposal", key: "k1", from: "pending", to: "decided" }]),
      store.commit([append({ n: Number.NaN })]),
      store.commit([{ op: "insert-proposal", proposal: proposal() }]),
      store.commit([append({ n: 1 })]),
      store.commit([]),
    ]);
    const oks = settled.map((each) => (each.status === "fulfilled" ? each.value.ok : "rejected"));
    assert.deepEqual(oks, [true, true, "rejected", false, true, true]);
    assert.equal((await store.proposal("k1"))?.state, "decided");
    assert.equal((await store.ledgerHead())?.seq, 2);
  });
}

function raceScenarios(scenario: Scenario): void {
  scenario("of many answers to one approval exactly one wins", async (store) => {
    await keep(store, { op: "insert-approval", approval: approval() });
    const commits = await Promise.all(
      Array.from({ length: 100 }, (_, by) =>
        store.commit([append({ by }), { op: "close-approval", id: "a1", state: "resolved", resolution: { by } }]),
      ),
    );
    const winners = commits.flatMap((commit, by) => (commit.ok ? [{ by, entries: commit.entries }] : []));
    assert.equal(winners.length, 1);
    assert.deepEqual((await store.approval("a1"))?.resolution, { by: winners[0]?.by });
    assert.deepEqual(await store.ledger({ afterSeq: 1, limit: 10 }), winners[0]?.entries);
  });

  scenario("of many starts of one proposal exactly one wins", async (store) => {
    await keep(store, { op: "insert-proposal", proposal: proposal({ state: "decided" }) });
    const start = { op: "advance-proposal", key: "k1", from: "decided", to: "started" } as const;
    const commits = await Promise.all(Array.from({ length: 100 }, () => store.commit([start])));
    assert.equal(commits.filter((commit) => commit.ok).length, 1);
  });
}
