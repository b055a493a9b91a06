import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { ALICE, openHub, type TestHub } from "./open-hub.ts";

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

async function assertAnsweredAfterAudit(t: TestContext, profile: object, deny?: (hub: TestHub) => Promise<unknown>) {
  const hub = await openHub(t, { profile });
  await hub.hub.auditTail(1);
  const disk = delayed(hub);
  const proposed = hub.propose("touch denied");
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
  assert.equal((await proposed).kind, "denied");
  await answered;
}

test("a denial by policy is answered once audit.jsonl has it, however slow its disk", (t) =>
  assertAnsweredAfterAudit(t, { security: "deny" }));

test("a person's denial is answered to both sides once audit.jsonl has it", (t) =>
  assertAnsweredAfterAudit(t, { ask: "always" }, async (hub) => {
    const { approvalId } = await hub.asked();
    return await hub.hub.answer(approvalId, { decision: "deny" }, ALICE);
  }));

test("a paused hub's denial is answered once audit.jsonl has it", async (t) => {
  const hub = await openHub(t, { profile: { security: "full", ask: "off" } });
  await hub.hub.pause(ALICE);
  assert.equal((await hub.propose("touch paused")).kind, "denied");
  assert.equal(denied(hub), 1);
});

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
