import assert from "node:assert/strict";
import type { DecidedRecord } from "../../src/contract/decided.ts";
import { type HistoryWish, MAX_HISTORY_PAGE } from "../../src/contract/history.ts";
import type { ProposalRecord } from "../../src/contract/records.ts";
import type { Store } from "../../src/contract/store.ts";
import type { Scenario } from "./opened.ts";
import { failsWith, keep, proposal, session } from "./samples.ts";

/** More than any implementation keeps together. */
const MANY = 1_200;

export function historyScenarios(scenario: Scenario): void {
  scenario("what ended comes newest first, with what was decided; what is open doesn't", async (store) => {
    await keep(store, { op: "claim-session", session: session() });
    await insert(
      store,
      ended("k1", { command: "npm test", decided: decided({ by: "person", person: "ann", asked: true }) }),
    );
    await insert(store, proposal({ key: "open" }));
    await insert(store, ended("k2", { outcome: { kind: "denied", by: "floor", reason: "never" }, endedAtMs: 30 }));
    const { rows, next, newest } = await store.history({ limit: 10 });
    assert.deepEqual(
      rows.map(({ key }) => key),
      ["k2", "k1"],
    );
    assert.deepEqual({ next, newest }, { next: null, newest: 2 });
    assert.deepEqual(rows[1], {
      ...{ place: 1, key: "k1", sessionId: "s1", agent: "codex", command: "npm test", commandLength: 8 },
      ...{ cwd: "/work", repository: "/work", createdAtMs: 1_000, endedAtMs: 2_000, result: "succeeded", exitCode: 0 },
      ...{ reason: null, by: "person", person: "ann", risk: "safe", asked: true },
    });
    const { result, reason, by, agent, exitCode } = rows[0] as NonNullable<(typeof rows)[0]>;
    assert.deepEqual(
      { result, reason, by, agent, exitCode },
      { ...{ result: "denied", reason: "never", by: null }, agent: "claude", exitCode: null },
    );
  });

  scenario("it is the order in which they ended, not that in which they were proposed", async (store) => {
    for (const key of ["k1", "k2", "k3"]) await insert(store, proposal({ key, state: "started" }));
    for (const key of ["k2", "k3", "k1"]) {
      await keep(store, {
        op: "advance-proposal",
        key,
        from: "started",
        to: "ended",
        set: { endedAtMs: 9, outcome: { kind: "exited", exitCode: 0 } },
      });
    }
    assert.deepEqual(await keysOf(store, {}), ["k1", "k3", "k2"]);
  });

  scenario("only the text that was left when it ended is found", async (store) => {
    await insert(store, proposal({ key: "k1", command: "login hunter2", state: "started" }));
    assert.deepEqual(await keysOf(store, { words: ["hunter2"] }), []);
    const set = { command: "login [redacted]", endedAtMs: 5, outcome: { kind: "exited", exitCode: 0 } };
    await keep(store, { op: "advance-proposal", key: "k1", from: "started", to: "ended", set });
    assert.deepEqual(await keysOf(store, { words: ["hunter2"] }), []);
    assert.deepEqual(await keysOf(store, { words: ["redacted"] }), ["k1"]);
  });

  scenario("words are found anywhere in a command, all of them in one, whatever their case", async (store) => {
    const commands = ["git push origin main", "Git Status", "echo 'ПРИВЕТ 😀'", "echo 'git'\npush", "pus", "h origin"];
    for (const [index, command] of commands.entries()) await insert(store, ended(`k${index}`, { command }));
    const found = async (...words: string[]) => (await keysOf(store, { words })).sort();
    assert.deepEqual(await found("GIT"), ["k0", "k1", "k3"]);
    assert.deepEqual(await found("push", "git"), ["k0", "k3"]);
    assert.deepEqual(await found("push origin"), ["k0"]);
    assert.deepEqual(await found("origin", "main", "git pus"), ["k0"]);
    assert.deepEqual(await found("привет"), ["k2"]);
    assert.deepEqual(await found("😀"), ["k2"]);
    assert.deepEqual(await found("pus\nh"), []);
    assert.deepEqual(await found("\ud83d"), []);
    assert.deepEqual(await found("%"), []);
  });

  scenario("each filter narrows; several of one are any of them", async (store) => {
    await insert(
      store,
      ended("a", { decided: decided({ agent: "codex", by: "person", risk: "dangerous" }), cwd: "/work/a" }),
    );
    await insert(
      store,
      ended("b", { sessionId: "s2", outcome: { kind: "exited", exitCode: 3 }, cwd: "/work/ab", endedAtMs: 3_000 }),
    );
    await insert(
      store,
      ended("c", {
        outcome: { kind: "expired" },
        cwd: "/work/a/sub",
        endedAtMs: 4_000,
        decided: decided({ by: "timeout" }),
      }),
    );
    const found = async (wish: Omit<HistoryWish, "limit">) => (await keysOf(store, wish)).sort();
    assert.deepEqual(await found({ agents: ["codex"] }), ["a", "c"]);
    assert.deepEqual(await found({ sessions: ["s2", "none"] }), ["b"]);
    assert.deepEqual(await found({ by: ["person", "timeout"] }), ["a", "c"]);
    assert.deepEqual(await found({ risks: ["dangerous"] }), ["a"]);
    assert.deepEqual(await found({ results: ["failed"] }), ["b"]);
    assert.deepEqual(await found({ results: ["succeeded", "expired"] }), ["a", "c"]);
    assert.deepEqual(await found({ directory: "/work/a" }), ["a", "c"]);
    assert.deepEqual(await found({ directory: "/" }), ["a", "b", "c"]);
    assert.deepEqual(await found({ fromMs: 3_000, toMs: 4_000 }), ["b"]);
    assert.deepEqual(await found({ by: ["person"], results: ["expired"] }), []);
  });

  scenario("thousands are paged through without a gap, and found again after a restart", async (store, opened) => {
    const all = Array.from({ length: MANY }, (_, index) =>
      ended(`k${index}`, { command: `make part-${index}`, endedAtMs: 10_000 + index }),
    );
    await keep(store, ...all.map((each) => ({ op: "insert-proposal", proposal: each }) as const));
    const again = await opened.reopen();
    const seen: string[] = [];
    let before: number | undefined;
    do {
      const page = await again.history({ limit: 100, before });
      seen.push(...page.rows.map(({ key }) => key));
      before = page.next ?? undefined;
    } while (before !== undefined);
    assert.deepEqual(seen, all.map(({ key }) => key).reverse());
    assert.deepEqual(await keysOf(again, { words: ["part-17"], limit: 200 }), [
      ...Array.from({ length: 10 }, (_, index) => `k${179 - index}`),
      "k17",
    ]);
    assert.deepEqual(await keysOf(again, { fromMs: 10_500, toMs: 10_502 }), ["k501", "k500"]);
    assert.deepEqual(await keysOf(again, { after: MANY - 2 }), [`k${MANY - 1}`, `k${MANY - 2}`]);
    await insert(again, ended("new", { command: "make part-17 again" }));
    assert.deepEqual(await keysOf(again, { words: ["again"], after: MANY }), ["new"]);
  });

  scenario("outcomes that were forgotten are still told by their kind and code", async (store) => {
    await insert(store, ended("k1", { outcome: { kind: "exited", exitCode: 7, stdout: "much" } }));
    await keep(store, { op: "prune-outcomes", endedBeforeMs: 9_999 });
    const [row] = (await store.history({ limit: 1 })).rows;
    assert.deepEqual([row?.result, row?.exitCode], ["failed", 7]);
  });

  scenario("a page of the history has a sensible limit", async (store) => {
    for (const limit of [0, -1, 1.5, Number.NaN, MAX_HISTORY_PAGE + 1]) {
      await assert.rejects(store.history({ limit }), failsWith("INVALID"));
    }
    await assert.rejects(store.history({ limit: 1 }, AbortSignal.abort()), { name: "AbortError" });
  });

  scenario("activity is counted for each agent and repository, and counted on", async (store) => {
    assert.deepEqual(await store.activity(0), { groups: [], newest: 0, isWhole: true });
    const asked = decided({ asked: true, by: "person", atMs: 4_000, hosts: ["x.io"], outside: ["/etc/hosts"] });
    await insert(store, ended("old", { endedAtMs: 50 }));
    await insert(store, ended("k1", { decided: asked }));
    await insert(
      store,
      ended("k2", { decided: decided({ hosts: ["x.io", "any"] }), outcome: { kind: "exited", exitCode: 2 } }),
    );
    await insert(store, ended("k3", { decided: { ...asked, verdict: "deny" }, outcome: { kind: "denied" } }));
    await insert(store, ended("k4", { cwd: "/tmp", sessionId: "none", outcome: { kind: "cancelled" } }));
    const none = {
      ...{ ran: 0, failed: 0, asked: 0, denied: 0, expired: 0, cancelled: 0, waitedMs: 0 },
      hosts: { names: [], count: 0 },
      outside: { names: [], count: 0 },
    };
    const work = {
      ...none,
      ...{ agent: "codex", directory: "/work", ran: 2, failed: 1, asked: 2, denied: 1, waitedMs: 6_000 },
      ...{ hosts: { names: ["x.io", "any"], count: 2 }, outside: { names: ["/etc/hosts"], count: 1 } },
    };
    const tmp = { ...none, agent: "", directory: "/tmp", cancelled: 1 };
    assert.deepEqual(await store.activity(1_000), { groups: [work, tmp], newest: 5, isWhole: true });
    await insert(store, ended("k5", { decided: decided({}) }));
    assert.deepEqual((await store.activity(1_000)).groups, [{ ...work, ran: 3 }, tmp]);
  });

  scenario("what waits or runs still was asked about, too, and is counted where it will be", async (store) => {
    await insert(store, ended("k1", { decided: decided({}) }));
    const asks = (key: string, set: Partial<ProposalRecord>) =>
      insert(store, proposal({ key, approvalId: `a-${key}`, cwd: "/work/deep", ...set }));
    await keep(store, {
      op: "claim-session",
      session: { id: "s1", ownerId: "o1", agentName: "codex", createdAtMs: 1 },
    });
    await asks("k2", {});
    await asks("k3", { state: "started", decided: decided({ asked: true }) });
    await asks("k4", { cwd: "/elsewhere" });
    await insert(store, proposal({ key: "k5", approvalId: null }));
    const told = async () =>
      (await store.activity(1_000)).groups.map(({ agent, directory, asked }) => [agent, directory, asked]);
    const expected = [
      ["codex", "/work", 2],
      ["codex", "/elsewhere", 1],
    ];
    assert.deepEqual(await told(), expected);
    assert.deepEqual(await told(), expected, "asking again adds nothing");
  });
}

function ended(key: string, set: Partial<ProposalRecord> = {}): ProposalRecord {
  const outcome = { kind: "exited", exitCode: 0 };
  return proposal({ key, state: "ended", endedAtMs: 2_000, outcome, ...set });
}

function decided(set: Partial<DecidedRecord>): DecidedRecord {
  return {
    ...{ atMs: 1_500, by: "policy", person: null, asked: false, verdict: "allow", risk: "safe", agent: "codex" },
    ...{ repository: "/work", entries: [], hosts: [], outside: [], ...set },
  };
}

async function insert(store: Store, record: ProposalRecord): Promise<void> {
  await keep(store, { op: "insert-proposal", proposal: record });
}

async function keysOf(store: Store, wish: Partial<HistoryWish>): Promise<string[]> {
  return (await store.history({ limit: 50, ...wish })).rows.map(({ key }) => key);
}
