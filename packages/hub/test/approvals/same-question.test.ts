import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { LOCAL_AGENT } from "@countersign/core/base";
import { APPROVAL_NOT_FOUND, type ExecApprovalRequestPayload, type Outcome } from "@countersign/protocol/proposals";
import { generateDeviceKey, makeNonce, signDecision } from "@countersign/sdk";
import type { ApprovalNews } from "../../src/events/news.ts";
import { ALICE, openHub, type TestHub, type TestHubOptions } from "../support/open-hub.ts";

const BOB = { ...ALICE, id: "bob-token", name: "bob" };
const SAME = "echo x >> made";

interface Asking {
  readonly hub: TestHub;
  readonly told: ApprovalNews[];
  readonly outcomes: Promise<Outcome>[];
  ask(command?: string, more?: object): Promise<void>;
  cards(): Promise<ExecApprovalRequestPayload[]>;
  /** How often it ran. */
  runs(): number;
}

/** Proposes the same in one session, each time until it waits. */
async function asking(t: TestContext, options: TestHubOptions = {}): Promise<Asking> {
  const hub = await openHub(t, options);
  const outcomes: Promise<Outcome>[] = [];
  const told: ApprovalNews[] = [];
  hub.hub.news.listen((news) => told.push(news));
  const waiting = async () => (await hub.store.pendingApprovals({ limit: 100 })).length;
  return {
    hub,
    told,
    outcomes,
    async ask(command = SAME, more = {}) {
      const before = await waiting();
      outcomes.push(hub.propose(command, { session: "one", ...more }));
      await until(async () => (await waiting()) > before);
      // The store has it a moment before the hub does.
      await new Promise((resolve) => setImmediate(resolve));
    },
    cards: () => hub.hub.approvals.list({ limit: 100 }, { role: "observer" }),
    runs: () => readFileSync(join(hub.workspace, "made"), { encoding: "utf8", flag: "a+" }).length / 2,
  };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 10_000; turns += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error("it never came to that");
}

async function only({ cards }: Asking): Promise<ExecApprovalRequestPayload> {
  const listed = await cards();
  assert.equal(listed.length, 1, JSON.stringify(listed.map(({ command, count }) => [command, count])));
  return listed[0] as ExecApprovalRequestPayload;
}

test("identical questions share a card; one answer allows one run, and the next has its turn", async (t) => {
  const asked = await asking(t);
  await asked.ask();
  const alone = await only(asked);
  assert.equal(alone.count, undefined);
  await asked.ask();
  const card = await only(asked);
  assert.deepEqual([card.approvalId, card.count], [alone.approvalId, 2]);
  assert.deepEqual(
    asked.told.map((news) => (news.kind === "counted" ? news.counted : news.kind)),
    ["asked", { approvalId: card.approvalId, count: 2 }],
  );
  assert.equal((await asked.hub.hub.state()).pending, 1);
  assert.deepEqual(await asked.hub.hub.answer(card.approvalId, { decision: "allow-once" }, ALICE), { ok: true });
  assert.equal((await asked.outcomes[0])?.kind, "exited");
  assert.equal(asked.runs(), 1);
  const next = await only(asked);
  assert.notEqual(next.approvalId, card.approvalId);
  assert.equal(next.count, undefined);
  await until(async () => asked.told.length === 4);
  const last = asked.told.at(-1);
  assert.ok(last?.kind === "asked" && last.card.approvalId === next.approvalId);
  await assert.rejects(asked.hub.hub.answer(card.approvalId, { decision: "allow-once" }, BOB), {
    message: APPROVAL_NOT_FOUND,
  });
  await asked.hub.hub.answer(next.approvalId, { decision: "deny", reason: "once is enough" }, ALICE);
  assert.equal((await asked.outcomes[1])?.reason, "Denied by alice: once is enough");
  assert.equal(asked.runs(), 1);
});

test("×N allows so many, on record with the card that was answered; more than wait leaves nothing over", async (t) => {
  const asked = await asking(t);
  for (let count = 0; count < 3; count += 1) await asked.ask();
  const { approvalId, count } = await only(asked);
  assert.equal(count, 3);
  const answered = await asked.hub.hub.answer(approvalId, { decision: "allow-once", times: 2 }, ALICE);
  assert.deepEqual(answered, { ok: true, count: 2 });
  const ended = await Promise.all(asked.outcomes.slice(0, 2));
  assert.deepEqual(
    ended.map(({ kind }) => kind),
    ["exited", "exited"],
  );
  assert.equal(asked.runs(), 2);
  const entries = await asked.hub.store.ledger({ afterSeq: 0, limit: 100 });
  const decided = entries.filter(({ type }) => type === "decided").map(({ body }) => [body.by, body.card, body.count]);
  assert.deepEqual(decided, [
    ["person", approvalId, 2],
    ["person", approvalId, 2],
  ]);
  const third = await only(asked);
  const more = await asked.hub.hub.answer(third.approvalId, { decision: "allow-once", times: 5 }, ALICE);
  assert.deepEqual(more, { ok: true, note: "1 of the 5 that you allowed waited; nothing is left over" });
  assert.equal((await asked.outcomes[2])?.kind, "exited");
  await asked.ask();
  assert.equal((await only(asked)).count, undefined, "the fourth is asked about");
  assert.equal(asked.runs(), 3);
});

test("to deny denies all of them, and is one denial", async (t) => {
  const asked = await asking(t, { limits: { denialsInARow: 2 } });
  for (let count = 0; count < 3; count += 1) await asked.ask();
  const { approvalId } = await only(asked);
  await assert.rejects(asked.hub.hub.answer(approvalId, { decision: "deny", times: 2 }, ALICE), {
    code: "INVALID_PARAMS",
  });
  assert.deepEqual(await asked.hub.hub.answer(approvalId, { decision: "deny" }, ALICE), { ok: true, count: 3 });
  const ended = await Promise.all(asked.outcomes);
  assert.deepEqual(
    ended.map(({ kind, by }) => `${kind} ${by}`),
    Array(3).fill("denied person"),
  );
  assert.deepEqual(await asked.cards(), []);
  assert.deepEqual((await asked.hub.hub.state()).pausedSessions, []);
  assert.equal((await asked.hub.store.denials()).length, 1);
});

test("of two answers at once one wins for all that it was given for", async (t) => {
  const asked = await asking(t);
  for (let round = 0; round < 5; round += 1) {
    const command = `touch round-${round}`;
    await asked.ask(command);
    await asked.ask(command);
    const { approvalId } = await only(asked);
    const answers = await Promise.allSettled([
      asked.hub.hub.answer(approvalId, { decision: "allow-once", times: 2 }, ALICE),
      asked.hub.hub.answer(approvalId, { decision: "deny" }, BOB),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    const kinds = (await Promise.all(asked.outcomes.slice(-2))).map(({ kind }) => kind);
    const expected = answers[0]?.status === "fulfilled" ? "exited" : "denied";
    assert.deepEqual(kinds, [expected, expected]);
  }
});

test("each has its own deadline and its own proposer; what is left is told", async (t) => {
  const asked = await asking(t);
  await asked.ask();
  asked.hub.clock.advance(20_000);
  await asked.ask(SAME, { proposalId: "second" });
  asked.hub.clock.advance(20_000);
  await asked.ask();
  const first = await only(asked);
  assert.equal(first.count, 3);
  await asked.hub.hub.approvals.delivered([first.approvalId]);
  asked.hub.hub.proposals.cancel(LOCAL_AGENT, "second");
  assert.equal((await asked.outcomes[1])?.kind, "cancelled");
  assert.equal((await only(asked)).count, 2);
  asked.hub.clock.advance(20_000);
  assert.deepEqual([(await asked.outcomes[0])?.kind, (await asked.outcomes[0])?.by], ["expired", "timeout"]);
  const last = await only(asked);
  assert.deepEqual([last.count, last.expiresAtMs - first.expiresAtMs], [undefined, 40_000]);
  asked.hub.clock.advance(40_000);
  assert.deepEqual([(await asked.outcomes[2])?.kind, (await asked.outcomes[2])?.by], ["expired", "timeout"]);
  const counted = asked.told.flatMap((news) => (news.kind === "counted" ? news.counted.count : []));
  assert.deepEqual(counted, [2, 3, 2]);
});

test("one that is withdrawn while the answer is written takes nothing from it", async (t) => {
  const asked = await asking(t);
  await asked.ask();
  await asked.ask(SAME, { proposalId: "second" });
  await asked.ask();
  const { approvalId } = await only(asked);
  const denied = asked.hub.hub.answer(approvalId, { decision: "deny" }, ALICE);
  asked.hub.hub.proposals.cancel(LOCAL_AGENT, "second");
  assert.equal((await denied).ok, true);
  const kinds = (await Promise.all(asked.outcomes)).map(({ kind }) => kind);
  assert.ok(["cancelled", "denied"].includes(kinds[1] ?? ""));
  assert.deepEqual([kinds[0], kinds[2]], ["denied", "denied"]);
  assert.deepEqual(await asked.cards(), []);
});

test("over a crash they wait on, still one card; whichever of them is answered, it is answered", async (t) => {
  const hub = await openHub(t);
  const params = { command: SAME, cwd: hub.workspace, session: "one" };
  await hub.hub.proposals.proposeDetached({ ...params, proposalId: "a" }, LOCAL_AGENT);
  await hub.hub.proposals.proposeDetached({ ...params, proposalId: "b" }, LOCAL_AGENT);
  await hub.crashAndReopen();
  const cards = await hub.hub.approvals.list({ limit: 10 });
  assert.deepEqual(
    cards.map(({ count }) => count),
    [2],
  );
  const behind = (await hub.store.pendingApprovals({ limit: 10 })).find(({ id }) => id !== cards[0]?.approvalId);
  assert.equal((await hub.hub.approvals.get(behind?.id ?? "")).count, 2);
  await hub.hub.answer(behind?.id, { decision: "deny" }, ALICE);
  const outcomes = await Promise.all(["a", "b"].map((id) => hub.hub.proposals.waitFor(LOCAL_AGENT, id, 60_000)));
  assert.deepEqual(
    outcomes.map(({ state }) => state),
    ["ended", "ended"],
  );
});

test("paused, none of them can be allowed, and all go on waiting", async (t) => {
  const asked = await asking(t);
  await asked.ask();
  await asked.ask();
  const { approvalId } = await only(asked);
  await asked.hub.hub.pause(ALICE);
  await assert.rejects(asked.hub.hub.answer(approvalId, { decision: "allow-once", times: 2 }, ALICE), {
    code: "UNAUTHORIZED",
  });
  assert.equal((await only(asked)).count, 2);
});

test("whatever is shown or bound makes it another question", async (t) => {
  const asked = await asking(t);
  const { hub } = asked;
  writeFileSync(join(hub.workspace, "script.sh"), "echo one\n");
  await asked.ask("bash script.sh");
  await asked.ask("bash script.sh", { session: "two" });
  await asked.ask("bash script.sh", { reason: "another claim" });
  await asked.ask("bash script.sh", { env: { TZ: "UTC" } });
  await asked.ask("bash ./script.sh");
  writeFileSync(join(hub.workspace, "script.sh"), "rm -rf ~\n");
  await asked.ask("bash script.sh");
  assert.deepEqual(
    (await asked.cards()).map(({ count }) => count),
    Array(6).fill(undefined),
  );
});

test("an answer that was signed for one can't be made one for several, nor the other way round", async (t) => {
  const asked = await asking(t);
  const key = await generateDeviceKey();
  await asked.hub.hub.devices.claim("laptop", ALICE);
  await asked.hub.hub.devices.enrol({ deviceId: "phone", name: "phone", publicKey: key.publicKey }, ALICE);
  await asked.ask();
  await asked.ask();
  const { approvalId, proposalHash } = await only(asked);
  const decision = "allow-once" as const;
  const sign = async (times?: number) => {
    const nonce = makeNonce();
    const signature = await signDecision({ approvalId, proposalHash, decision, nonce, times }, key.privateKey);
    return { decision, nonce, keyId: key.keyId, signature };
  };
  const one = await sign();
  const two = await sign(2);
  for (const wrong of [{ ...one, times: 2 }, { ...one, times: 1 }, two, { ...two, times: 3 }]) {
    await assert.rejects(asked.hub.hub.answer(approvalId, wrong, ALICE), { code: "UNAUTHORIZED" });
  }
  assert.equal((await only(asked)).count, 2);
  assert.equal((await asked.hub.hub.answer(approvalId, { ...two, times: 2 }, ALICE)).count, 2);
  await Promise.all(asked.outcomes);
  assert.equal(asked.runs(), 2);
});

test("an agent that asks the same two thousand times has one card of so many as a session may have waiting", async (t) => {
  const asked = await asking(t);
  const { hub } = asked;
  const all = Array.from({ length: 2_000 }, () => hub.propose(SAME, { session: "one" }));
  const settled = Promise.allSettled(all);
  await until(async () => (await asked.cards())[0]?.count === 64);
  const { approvalId } = await only(asked);
  await hub.hub.answer(approvalId, { decision: "deny" }, ALICE);
  const outcomes = await settled;
  const denied = outcomes.filter((one) => one.status === "fulfilled" && one.value.kind === "denied").length;
  const refused = outcomes.filter((one) => one.status === "rejected" && one.reason.code === "LIMIT").length;
  assert.deepEqual([denied + refused, denied >= 64], [2_000, true]);
  assert.equal(asked.runs(), 0);
});
