import assert from "node:assert/strict";
import { MAX_PAGE } from "../../src/contract/store.ts";
import type { Scenario } from "./opened.ts";
import { approval, failsWith, keep, proposal } from "./samples.ts";

export function readScenarios(scenario: Scenario): void {
  scenario("what isn't there is null, undefined or empty", async (store) => {
    assert.equal(await store.session("none"), null);
    assert.equal(await store.proposal("none"), null);
    assert.equal(await store.proposalOf("ann", "none"), null);
    assert.equal(await store.approval("none"), null);
    assert.equal(await store.setting("none"), undefined);
    assert.deepEqual(await store.proposals([]), []);
    assert.deepEqual(await store.openProposals(), []);
    assert.deepEqual(await store.pendingApprovals({ limit: 10 }), []);
    assert.deepEqual(await store.entryUses("none"), []);
    assert.deepEqual(await store.outcomeCounts(0), {});
    assert.deepEqual(await store.grants(), []);
    assert.deepEqual(await store.denials(), []);
    assert.deepEqual(await store.denialCounts(), new Map());
  });

  scenario("proposals come in the order asked for, without those that aren't there", async (store) => {
    for (const key of ["k1", "k2", "k3"]) await keep(store, { op: "insert-proposal", proposal: proposal({ key }) });
    const found = await store.proposals(["k3", "none", "k1"]);
    assert.deepEqual(found, [proposal({ key: "k3" }), proposal({ key: "k1" })]);
  });

  scenario("open proposals are those not ended, oldest first", async (store) => {
    const all = [
      proposal({ key: "k1", createdAtMs: 30, state: "started" }),
      proposal({ key: "k2", createdAtMs: 10, state: "decided" }),
      proposal({ key: "k3", createdAtMs: 20, state: "ended", endedAtMs: 25 }),
      proposal({ key: "k4", createdAtMs: 10, state: "pending", attached: false }),
    ] as const;
    await keep(store, ...all.map((each) => ({ op: "insert-proposal", proposal: each }) as const));
    assert.deepEqual(await store.openProposals(), [all[1], all[3], all[0]]);
  });

  scenario("ended proposals come by key, in pages, from a time on", async (store) => {
    const ended = (key: string, endedAtMs: number) => proposal({ key, state: "ended", endedAtMs });
    const all = [ended("k3", 30), ended("k1", 20), ended("k2", 10), ended("k4", 20), proposal({ key: "k5" })];
    await keep(store, ...all.map((each) => ({ op: "insert-proposal", proposal: each }) as const));
    const keys = async (page: { sinceMs: number; after?: string; limit: number }) =>
      (await store.endedProposals(page)).map((each) => each.key);
    assert.deepEqual(await keys({ sinceMs: 0, limit: 10 }), ["k1", "k2", "k3", "k4"]);
    assert.deepEqual(await keys({ sinceMs: 20, limit: 2 }), ["k1", "k3"]);
    assert.deepEqual(await keys({ sinceMs: 20, after: "k3", limit: 2 }), ["k4"]);
    assert.deepEqual(await keys({ sinceMs: 31, limit: 10 }), []);
    assert.deepEqual(await store.endedProposals({ sinceMs: 30, limit: 1 }), [ended("k3", 30)]);
  });

  scenario("of what ended, the last comes first, in pages, back to a time", async (store) => {
    const ended = (key: string, endedAtMs: number) => proposal({ key, state: "ended", endedAtMs });
    const all = [ended("k3", 30), ended("k1", 20), ended("k2", 10), ended("k4", 20), proposal({ key: "k5" })];
    await keep(store, ...all.map((each) => ({ op: "insert-proposal", proposal: each }) as const));
    const keys = async (page: Parameters<typeof store.newestEnded>[0]) =>
      (await store.newestEnded(page)).map((each) => each.key);
    assert.deepEqual(await keys({ sinceMs: 0, limit: 10 }), ["k3", "k4", "k1", "k2"]);
    assert.deepEqual(await keys({ sinceMs: 0, limit: 2 }), ["k3", "k4"]);
    assert.deepEqual(await keys({ sinceMs: 20, before: { key: "k4", endedAtMs: 20 }, limit: 2 }), ["k1"]);
    assert.deepEqual(await keys({ sinceMs: 0, before: { key: "k1", endedAtMs: 20 }, limit: 2 }), ["k2"]);
    assert.deepEqual(await store.newestEnded({ sinceMs: 30, limit: 1 }), [ended("k3", 30)]);
  });

  scenario("keys of settings are found by how they begin", async (store) => {
    for (const key of ["a.x", "a.%", "b.x", "a.", "A.x"]) await keep(store, { op: "put-setting", key, value: 1 });
    assert.deepEqual(await store.settingKeys({ prefix: "a.", limit: 10 }), ["a.", "a.%", "a.x"]);
    assert.deepEqual(await store.settingKeys({ prefix: "a.", limit: 2 }), ["a.", "a.%"]);
    assert.deepEqual(await store.settingKeys({ prefix: "c", limit: 2 }), []);
  });

  scenario("pending approvals come by id, in pages", async (store) => {
    for (const id of ["a4", "a1", "a3", "a2"]) await keep(store, { op: "insert-approval", approval: approval({ id }) });
    await keep(store, { op: "close-approval", id: "a2", state: "resolved", resolution: {} });
    const ids = async (page: { after?: string; limit: number }) =>
      (await store.pendingApprovals(page)).map((each) => each.id);
    assert.deepEqual(await ids({ limit: 10 }), ["a1", "a3", "a4"]);
    assert.deepEqual(await ids({ limit: 2 }), ["a1", "a3"]);
    assert.deepEqual(await ids({ after: "a1", limit: 1 }), ["a3"]);
    assert.deepEqual(await ids({ after: "a2", limit: 10 }), ["a3", "a4"]);
    assert.deepEqual(await ids({ after: "a4", limit: 10 }), []);
    assert.deepEqual(await store.pendingApprovals({ limit: 1 }), [approval({ id: "a1" })]);
  });

  scenario("a page has a sensible limit", async (store) => {
    for (const limit of [0, -1, 1.5, Number.NaN, MAX_PAGE + 1]) {
      await assert.rejects(store.pendingApprovals({ limit }), failsWith("INVALID"));
      await assert.rejects(store.ledger({ afterSeq: 0, limit }), failsWith("INVALID"));
      await assert.rejects(store.endedProposals({ sinceMs: 0, limit }), failsWith("INVALID"));
      await assert.rejects(store.newestEnded({ sinceMs: 0, limit }), failsWith("INVALID"));
      await assert.rejects(store.settingKeys({ prefix: "", limit }), failsWith("INVALID"));
    }
    assert.deepEqual(await store.ledger({ afterSeq: 0, limit: MAX_PAGE }), []);
  });

  scenario("outcomes are counted by kind from a time on", async (store) => {
    const kinds = ["ran", "denied", "ran", "__proto__", null];
    for (const [endedAtMs, kind] of kinds.entries()) {
      const outcome = kind === null ? null : { kind };
      const ended = proposal({ key: `k${endedAtMs}`, state: "ended", endedAtMs, outcome });
      await keep(store, { op: "insert-proposal", proposal: ended });
    }
    await keep(store, { op: "insert-proposal", proposal: proposal({ key: "open" }) });
    assert.deepEqual(
      new Map(Object.entries(await store.outcomeCounts(0))),
      new Map([
        ["ran", 2],
        ["denied", 1],
        ["__proto__", 1],
        ["unknown", 1],
      ]),
    );
    assert.deepEqual(
      new Map(Object.entries(await store.outcomeCounts(3))),
      new Map([
        ["__proto__", 1],
        ["unknown", 1],
      ]),
    );
    assert.deepEqual(await store.outcomeCounts(5), {});
  });

  scenario("entry uses are counted for each profile", async (store) => {
    await keep(store, { op: "count-entry-use", profileId: "p", entryIds: ["e2", "e1"], atMs: 10 });
    await keep(store, { op: "count-entry-use", profileId: "p", entryIds: ["e1"], atMs: 30 });
    await keep(store, { op: "count-entry-use", profileId: "p", entryIds: ["e1"], atMs: 20 });
    await keep(store, { op: "count-entry-use", profileId: "q", entryIds: ["e1"], atMs: 5 });
    assert.deepEqual(await store.entryUses("p"), [
      { entryId: "e1", hits: 3, lastUsedAtMs: 30 },
      { entryId: "e2", hits: 1, lastUsedAtMs: 10 },
    ]);
    assert.deepEqual(await store.entryUses("q"), [{ entryId: "e1", hits: 1, lastUsedAtMs: 5 }]);
  });

  scenario("settings hold any JSON, null too, and the last one counts", async (store) => {
    for (const value of [null, false, 0, "", "text", [1, [2]], { a: { b: null } }]) {
      await keep(store, { op: "put-setting", key: "x", value });
      assert.deepEqual(await store.setting("x"), value);
    }
  });
}
