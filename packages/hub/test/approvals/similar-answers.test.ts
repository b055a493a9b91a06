import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ScopeTrial } from "@countersign/protocol/proposals";
import { ALICE, openHub, type TestHub } from "../support/open-hub.ts";

async function answered(hub: TestHub, command: string, decision: "allow-once" | "deny", more: object = {}) {
  const outcome = hub.propose(command, more);
  await hub.hub.answer((await hub.asked()).approvalId, { decision }, ALICE);
  await outcome;
}

/** Has it asked about, and looks while it waits. */
async function whileAsked<T>(hub: TestHub, command: string, look: (approvalId: string) => Promise<T>, more = {}) {
  const outcome = hub.propose(command, more);
  const { approvalId } = await hub.asked();
  try {
    return await look(approvalId);
  } finally {
    await hub.hub.answer(approvalId, { decision: "deny" }, ALICE);
    await outcome;
  }
}

function tried(hub: TestHub, command: string, scope: string, more = {}): Promise<ScopeTrial> {
  return whileAsked(hub, command, (id) => hub.hub.similarAnswers.tryScope(id, scope), more);
}

function saving(trial: ScopeTrial) {
  assert(trial.kind === "saves", JSON.stringify(trial));
  return trial;
}

test("how people answered what is called the same is counted, here and elsewhere", async (t) => {
  const hub = await openHub(t);
  for (const name of ["one", "two"]) mkdirSync(join(hub.workspace, name, ".git"), { recursive: true });
  const here = { cwd: join(hub.workspace, "one") };
  mkdirSync(join(here.cwd, "deep"));
  await answered(hub, "touch a", "allow-once", here);
  await answered(hub, "touch b && mkdir c", "allow-once", { cwd: join(here.cwd, "deep") });
  await answered(hub, "touch x", "deny", { cwd: join(hub.workspace, "two") });
  const past = await whileAsked(hub, "touch z", (id) => hub.hub.similarAnswers.pastAnswers(id), here);
  assert.deepEqual(past, {
    past: [
      {
        shape: "touch",
        here: { allowed: 2, denied: 0 },
        elsewhere: { allowed: 0, denied: 1 },
        lastAtMs: hub.clock.wallMs(),
      },
    ],
  });
  await hub.restart();
  const { past: kept } = await whileAsked(
    hub,
    "rmdir q; touch z",
    (id) => hub.hub.similarAnswers.pastAnswers(id),
    here,
  );
  assert.deepEqual(
    kept.map(({ shape, here: counts }) => [shape, counts.allowed, counts.denied]),
    [
      ["rmdir", 0, 0],
      ["touch", 2, 1],
    ],
  );
});

test("a scope is tried on the past: what it saves, what it would have covered, what else it lets through", async (t) => {
  const hub = await openHub(t);
  const session = "s";
  for (const command of ["touch a", "touch a", "touch b", "mkdir c"])
    await answered(hub, command, "allow-once", { session });
  await answered(hub, "touch secret", "deny");
  const trial = saving(await tried(hub, "touch a", "pattern:touch **@directory"));
  const { entries, past, ...rest } = trial;
  assert.deepEqual(rest, {
    kind: "saves",
    scope: "pattern:touch **@directory",
    words: "Commands that fit `touch **`, in this directory",
    saves: ["touch **"],
  });
  assert.deepEqual([entries[0]?.pattern, entries[0]?.directory], ["touch **", hub.workspace]);
  assert.deepEqual(past, {
    looked: 5,
    truncated: false,
    covered: 4,
    denied: 1,
    others: [
      { command: "touch secret", cwd: hub.workspace, count: 1, denied: 1 },
      { command: "touch b", cwd: hub.workspace, count: 1, denied: 0 },
    ],
    otherCommands: 2,
  });
  const exact = saving(await tried(hub, "touch b", "exact@session", { session }));
  assert.deepEqual([exact.past.covered, exact.past.others, exact.lifeMs], [1, [], 86_400_000]);
  const elsewhere = saving(await tried(hub, "touch b", "exact@session", { session: "new" }));
  assert.equal(elsewhere.past.covered, 0, "a session's past is its own");
  assert.deepEqual(hub.hub.grants.list(), [], "nothing was saved");
});

test("what can't be saved is refused with the reason, and covers nothing", async (t) => {
  const hub = await openHub(t);
  for (const [scope, why] of [
    ["pattern:mkdir **@directory", /fits nothing in the command/],
    ["whatever", /isn't <match>@<extent>/],
    ["exact@repository", /no repository/],
  ] as const) {
    const trial = await tried(hub, "touch a", scope);
    assert(trial.kind === "refused");
    assert.match(trial.reason, why);
  }
  const dangerous = await tried(hub, "rm -rf x", "pattern:rm **@forever");
  assert.equal(dangerous.kind, "refused");
});

test("work is bounded: by questions, by time, by trials at once; what ended isn't looked back from", async (t) => {
  const hub = await openHub(t, { limits: { trialProposals: 2, trials: 1 } });
  for (const command of ["touch a", "touch b", "touch c"]) await answered(hub, command, "allow-once");
  const scope = "pattern:touch **@directory";
  const { past } = saving(await tried(hub, "touch d", scope));
  assert.deepEqual([past.looked, past.covered, past.truncated], [2, 2, true]);
  await whileAsked(hub, "touch d", async (id) => {
    const both = await Promise.allSettled([
      hub.hub.similarAnswers.tryScope(id, scope),
      hub.hub.similarAnswers.tryScope(id, scope),
    ]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ["fulfilled", "rejected"],
    );
    assert.match(String((both[1] as PromiseRejectedResult).reason), /limit: trials/);
    const gone = saving(await hub.hub.similarAnswers.tryScope(id, scope, AbortSignal.abort()));
    assert.deepEqual([gone.past.looked, gone.past.truncated], [0, true]);
  });
  await assert.rejects(hub.hub.similarAnswers.tryScope("none", scope), { code: "NOT_FOUND" });
  await assert.rejects(hub.hub.similarAnswers.pastAnswers("none"), { code: "NOT_FOUND" });
});

test("a card names the repository and its branch", async (t) => {
  const hub = await openHub(t);
  mkdirSync(join(hub.workspace, ".git"));
  writeFileSync(join(hub.workspace, ".git", "HEAD"), "ref: refs/heads/fix/login\n");
  const outcome = hub.propose("touch a");
  const { repository, branch, runBy, approvalId } = await hub.asked();
  assert.deepEqual([repository, branch, runBy], [hub.workspace, "fix/login", undefined]);
  await hub.hub.answer(approvalId, { decision: "deny" }, ALICE);
  await outcome;
});
