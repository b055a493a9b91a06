import assert from "node:assert/strict";
import type { DenialRecord, GrantRecord } from "../../src/contract/records.ts";
import type { Scenario } from "./opened.ts";
import { approval, failsWith, keep, proposal } from "./samples.ts";

function grant(set: Partial<GrantRecord> = {}): GrantRecord {
  return {
    id: "g1",
    profileId: "default",
    sessionId: "s1",
    atMs: 1_000,
    expiresAtMs: 2_000,
    kind: "entry",
    body: { pattern: "npm test" },
    ...set,
  };
}

function denial(set: Partial<DenialRecord> = {}): DenialRecord {
  return { approvalId: "a1", sessionId: "s1", atMs: 1_000, proposalHash: "h1", body: { by: "ann" }, ...set };
}

export function answerScenarios(scenario: Scenario): void {
  scenario("grants stay as they were made until they are removed, also over a restart", async (store, { reopen }) => {
    const all = [
      grant({ atMs: 10 }),
      grant({ id: "g3", atMs: 30, kind: "effects", body: { root: "/w" }, sessionId: null }),
      grant({ id: "g2", atMs: 20 }),
    ] as const;
    await keep(store, ...all.map((one) => ({ op: "insert-grant", grant: one }) as const));
    assert.deepEqual(await store.grants(), [all[0], all[2], all[1]]);
    await keep(store, { op: "remove-grants", ids: ["g1", "none", "g2"] });
    assert.deepEqual(await (await reopen()).grants(), [all[1]]);
  });

  scenario("what is allowed once is taken once, with everything that rests on it", async (store, { reopen }) => {
    await keep(store, { op: "insert-grant", grant: grant({ kind: "once", body: { proposalHash: "h1" } }) });
    const using = [
      { op: "put-setting", key: "used", value: true },
      { op: "take-grant", id: "g1" },
    ] as const;
    const both = await Promise.all([store.commit(using), store.commit(using)]);
    assert.deepEqual(
      both.map((commit) => commit.ok || [commit.refusal, commit.index]),
      [true, ["GRANT_GONE", 1]],
    );
    assert.deepEqual(await (await reopen()).grants(), []);
  });

  scenario("an approval that expired is found by its deadline, and answered late once", async (store) => {
    const all = [
      approval({ id: "a1", expiresAtMs: 10 }),
      approval({ id: "a2", expiresAtMs: 20 }),
      approval({ id: "a3" }),
    ];
    for (const one of all) await keep(store, { op: "insert-approval", approval: one });
    const close = (id: string, state: "expired" | "resolved", from?: "expired") =>
      store.commit([{ op: "close-approval", id, state, resolution: {}, ...(from ? { from } : {}) }]);
    for (const id of ["a1", "a2"]) assert.ok((await close(id, "expired")).ok);
    const found = await store.expiredApprovals({ sinceMs: 10, limit: 10 });
    assert.deepEqual(
      found.map(({ id, state }) => `${id} ${state}`),
      ["a2 expired", "a1 expired"],
    );
    assert.deepEqual((await store.expiredApprovals({ sinceMs: 11, limit: 10 })).length, 1);
    const answers = await Promise.all([close("a1", "resolved", "expired"), close("a1", "resolved", "expired")]);
    assert.deepEqual(
      answers.map((commit) => commit.ok || commit.refusal),
      [true, "NOT_PENDING"],
    );
    const waits = await close("a3", "resolved", "expired");
    assert.deepEqual(waits.ok || waits.refusal, "NOT_PENDING");
  });

  scenario("answers are counted by what they were about and where", async (store, { reopen }) => {
    const count = (shapes: string[], directory: string, verdict: "allow" | "deny", atMs: number) =>
      ({ op: "count-answer", profileId: "default", directory, shapes, verdict, atMs }) as const;
    await keep(store, count(["npm test", "git add"], "/w", "allow", 10), count(["npm test"], "/w", "deny", 5));
    await keep(store, count(["npm test"], "/v", "allow", 20));
    const kept = await reopen();
    assert.deepEqual(await kept.answerCounts("default", "npm test"), [
      { shape: "npm test", directory: "/v", allowed: 1, denied: 0, lastAtMs: 20 },
      { shape: "npm test", directory: "/w", allowed: 1, denied: 1, lastAtMs: 10 },
    ]);
    assert.deepEqual(await kept.answerCounts("other", "npm test"), []);
  });

  scenario("what people were asked about is found, the newest first, once it has ended", async (store) => {
    const asked = (key: string, endedAtMs: number) =>
      proposal({ key, state: "ended", endedAtMs, approvalId: `a-${key}` });
    const all = [asked("k1", 10), asked("k2", 30), asked("k3", 20), proposal({ key: "k4", approvalId: "a4" })];
    for (const one of all) await keep(store, { op: "insert-proposal", proposal: one });
    await keep(store, {
      op: "insert-proposal",
      proposal: proposal({ key: "k5", state: "ended", endedAtMs: 40, approvalId: null }),
    });
    assert.deepEqual(await store.askedProposals({ limit: 2 }), [all[1], all[2]]);
    assert.deepEqual([await store.askedCount(20), await store.askedCount(31)], [2, 0]);
    assert.equal(await store.openAskedCount(), 1);
  });

  scenario("a repeated grant or denial is the caller's bug", async (store) => {
    await keep(store, { op: "insert-grant", grant: grant() }, { op: "insert-denial", denial: denial() });
    await assert.rejects(store.commit([{ op: "insert-grant", grant: grant() }]), failsWith("FAILED"));
    await assert.rejects(store.commit([{ op: "insert-denial", denial: denial() }]), failsWith("FAILED"));
    assert.deepEqual(await store.denialCounts(), new Map([["s1", 1]]));
  });

  scenario("denials are remembered and counted for each session, also over a restart", async (store, { reopen }) => {
    const all = [
      denial({ atMs: 10 }),
      denial({ approvalId: "a2", atMs: 20 }),
      denial({ approvalId: "a3", sessionId: "s2", atMs: 5 }),
    ] as const;
    for (const one of all) await keep(store, { op: "insert-denial", denial: one });
    const again = await reopen();
    assert.deepEqual(await again.denials(), [all[2], all[0], all[1]]);
    assert.deepEqual(
      await again.denialCounts(),
      new Map([
        ["s1", 2],
        ["s2", 1],
      ]),
    );
  });

  scenario(
    "what is allowed forgets the denial of the same in that session, and begins the count anew",
    async (store) => {
      const all = [
        denial(),
        denial({ approvalId: "a2", proposalHash: "h2" }),
        denial({ approvalId: "a3", sessionId: "s2" }),
      ] as const;
      for (const one of all) await keep(store, { op: "insert-denial", denial: one });
      await keep(store, { op: "forget-denial", sessionId: "s1", proposalHash: "h1" });
      assert.deepEqual(await store.denials(), [all[1], all[2]]);
      assert.deepEqual(await store.denialCounts(), new Map([["s2", 1]]));
      await keep(store, { op: "reset-denials", sessionId: "s2" }, { op: "reset-denials", sessionId: "none" });
      assert.deepEqual(await store.denials(), [all[1], all[2]]);
      assert.deepEqual(await store.denialCounts(), new Map());
    },
  );

  scenario("old denials are forgotten, and the count stays", async (store) => {
    await keep(store, { op: "insert-denial", denial: denial({ atMs: 10 }) });
    await keep(store, { op: "insert-denial", denial: denial({ approvalId: "a2", atMs: 20 }) });
    await keep(store, { op: "prune-denials", beforeMs: 20 });
    assert.deepEqual(await store.denials(), [denial({ approvalId: "a2", atMs: 20 })]);
    assert.deepEqual(await store.denialCounts(), new Map([["s1", 2]]));
  });
}
