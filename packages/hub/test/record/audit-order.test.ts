import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { LOCAL_AGENT } from "@countersign/core/base";
import { ALICE, openHub, type TestHub } from "../support/open-hub.ts";

/** Holds back what `audit.jsonl` reads from the ledger, as a slow disk would, until it is let go. */
function delayed(hub: TestHub): { readonly asked: Promise<void>; letGo(): void } {
  const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ledger = hub.store.ledger.bind(hub.store);
  hub.store.ledger = async (page) => {
    asked.resolve();
    await held.promise;
    return await ledger(page);
  };
  return { asked: asked.promise, letGo: () => held.resolve() };
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  promise.then(settle, settle);
  for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

const denied = (hub: TestHub) =>
  readFileSync(hub.home.audit, "utf8")
    .split("\n")
    .filter((line) => line.includes('"tool_denied"')).length;

/** Whoever is denied, by any way of proposing. */
type Propose = (hub: TestHub, command: object) => Promise<unknown>;

const plain: Propose = (hub, { command }: { command?: string }) => hub.propose(command as string);

async function assertAnsweredAfterAudit(
  t: TestContext,
  profile: object,
  { propose = plain, deny }: { readonly propose?: Propose; readonly deny?: (hub: TestHub) => Promise<unknown> } = {},
) {
  const hub = await openHub(t, { profile });
  await hub.hub.auditTail(1);
  const disk = delayed(hub);
  const proposed = propose(hub, { command: "touch denied", cwd: hub.workspace });
  const answered = deny?.(hub);
  try {
    await Promise.race([disk.asked, proposed]);
    assert.equal(denied(hub), 0);
    assert.equal(await isSettled(proposed), false);
    if (answered) assert.equal(await isSettled(answered), false);
  } finally {
    disk.letGo();
  }
  await Promise.race([proposed, answered ?? proposed]);
  assert.equal(denied(hub), 1);
  assert.match(JSON.stringify(await proposed), /"kind":"denied"/);
  await answered;
}

const never = () => new AbortController().signal;
/** How doors, hooks and tools propose: each is told of a denial by its answer. */
const WAYS: Readonly<Record<string, Propose>> = {
  waiting: (hub, params) => hub.hub.proposals.propose(params, LOCAL_AGENT),
  "following its output": async (hub, params) =>
    (await hub.hub.proposals.proposeFollowed(params, LOCAL_AGENT, never())).outcome,
  "without waiting": (hub, params) => hub.hub.proposals.proposeDetached(params, LOCAL_AGENT),
  "for another executor": (hub, params) => hub.hub.proposals.proposeExternal(params, LOCAL_AGENT, "none"),
  "to claim it": (hub, params) => hub.hub.proposals.proposeClaimed(params, LOCAL_AGENT, { signal: never() }),
  "as a tool": (hub, params) =>
    hub.hub.proposals.proposeByTool(params, LOCAL_AGENT, { executor: { kind: "local" }, card: {} }),
  "a tool's call": (hub, { cwd }: { cwd?: string }) =>
    hub.hub.proposals.proposeToolCall({ cwd, server: "s", tool: "t", arguments: {} }, LOCAL_AGENT, {
      enforcement: "none",
    }),
};

for (const [way, propose] of Object.entries(WAYS)) {
  test(`a denial is answered once audit.jsonl has it, proposed ${way}`, (t) =>
    assertAnsweredAfterAudit(t, { security: "deny" }, { propose }));
}

test("whoever asks how a denied proposal stands is told once audit.jsonl has it", async (t) => {
  const hub = await openHub(t, { profile: { ask: "always" } });
  const { proposals } = hub.hub;
  const params = { command: "touch denied", cwd: hub.workspace, proposalId: "p" };
  await proposals.proposeDetached(params, LOCAL_AGENT);
  const { approvalId } = await hub.asked();
  await hub.hub.auditTail(1);
  const disk = delayed(hub);
  const answered = hub.hub.answer(approvalId, { decision: "deny" }, ALICE);
  let told: Promise<unknown>[] = [];
  try {
    await disk.asked;
    assert.equal((await hub.store.proposalOf(LOCAL_AGENT.id, "p"))?.state, "ended");
    told = [
      proposals.status(LOCAL_AGENT, "p"),
      proposals.waitFor(LOCAL_AGENT, "p", 0),
      hub.propose("touch denied", params),
    ];
    for (const each of told) assert.equal(await isSettled(each), false);
    assert.equal(denied(hub), 0);
  } finally {
    disk.letGo();
  }
  for (const each of told) assert.match(JSON.stringify(await each), /"kind":"denied"/);
  assert.equal(denied(hub), 1);
  await answered;
});

test("what nobody answered, and what a deny entry denies, is answered once audit.jsonl has it", async (t) => {
  const profile = { ask: "always", denylist: [{ pattern: "make **" }] };
  const hub = await openHub(t, { profile });
  const silent = hub.propose("touch denied");
  const { expiresAtMs } = await hub.asked();
  await hub.hub.auditTail(1);
  const disk = delayed(hub);
  hub.clock.advance(expiresAtMs - hub.clock.wallMs());
  const proposed = [silent, hub.propose("make all")];
  try {
    await disk.asked;
    for (const each of proposed) assert.equal(await isSettled(each), false);
    assert.equal(denied(hub), 0);
  } finally {
    disk.letGo();
  }
  assert.deepEqual(
    (await Promise.all(proposed)).map(({ by }) => by),
    ["timeout", "deny-entry"],
  );
  assert.equal(denied(hub), 2);
});

test("a person's denial is answered to both sides once audit.jsonl has it", (t) =>
  assertAnsweredAfterAudit(
    t,
    { ask: "always" },
    {
      deny: async (hub) => {
        const { approvalId } = await hub.asked();
        return await hub.hub.answer(approvalId, { decision: "deny" }, ALICE);
      },
    },
  ));

test("a paused hub's denial is answered once audit.jsonl has it", (t) =>
  assertAnsweredAfterAudit(
    t,
    { security: "full", ask: "off" },
    {
      propose: async (hub) => {
        await hub.hub.pause(ALICE);
        return await hub.propose("touch paused");
      },
    },
  ));

test("a denial is answered though audit.jsonl can't be written, and the state says so", async (t) => {
  const hub = await openHub(t, { profile: { security: "deny" } });
  await hub.hub.auditTail(1);
  hub.store.ledger = () => Promise.reject(new Error("no room"));
  assert.equal((await hub.propose("touch denied")).kind, "denied");
  assert.match(JSON.stringify(await hub.hub.state()), /audit\.jsonl is behind: no room/);
});

test("many denials at once share their writes to audit.jsonl", async (t) => {
  const hub = await openHub(t, { profile: { security: "deny" } });
  await hub.hub.auditTail(1);
  let reads = 0;
  const ledger = hub.store.ledger.bind(hub.store);
  hub.store.ledger = (page) => {
    reads += 1;
    return ledger(page);
  };
  await Promise.all(Array.from({ length: 200 }, (_, n) => hub.propose(`touch denied-${n}`)));
  assert.equal(denied(hub), 200);
  assert.ok(reads < 200, `${reads}`);
});
