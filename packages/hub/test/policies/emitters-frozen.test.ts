import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { homeAt } from "@countersign/core/config";
import { type Emitter, frame, openEmitter } from "../support/emitter-fixture.ts";
import { openHub } from "../support/open-hub.ts";
import { end, paired, wholeLedger } from "../support/remote-recorder-fixture.ts";
import { type Serving, scratch, startServing } from "../support/serve-fixture.ts";

const UID = process.getuid?.() ?? 0;

function configure(homeDir: string, emitters: readonly object[]): void {
  writeFileSync(join(homeDir, "config.json"), JSON.stringify({ receipts: { emitters } }), { mode: 0o600 });
}

const ofSandbox = () =>
  frame({
    ...{ ack: true, channel: "opensandbox_execd", action_type: "system.command.execute" },
    binding: { sandbox_id: "box" },
  });

/** What a relay of ours is told, over one connection or a new one. */
async function tell(
  t: TestContext,
  s: Serving,
): Promise<{ emitter: Emitter; code: () => Promise<string | undefined> }> {
  const emitter = await openEmitter(t, s.served.home.recorderSocket);
  let sent = 0;
  return {
    emitter,
    code: async () => {
      emitter.send(ofSandbox());
      sent += 1;
      return (await emitter.answers(sent))[sent - 1]?.error?.code;
    },
  };
}

test("whoever may write sandboxes' chains is a person's to say, also over a restart; to take it away is anyone's", async (t) => {
  const place = scratch(t);
  let s = await startServing(t, { at: place });
  assert.equal(await (await tell(t, s)).code(), "NOT_ENROLLED");
  await s.served.close();

  configure(place.homeDir, [{ uid: UID, role: "relay" }]);
  s = await startServing(t, { at: place });
  const relay = await tell(t, s);
  assert.equal(await relay.code(), "NOT_ENROLLED", "the file alone widens nothing");
  const { approvalId, riskReasons } = await s.asked();
  assert.deepEqual(riskReasons, [`receipts.emitters: user ${UID} may write any sandbox's chain, as relay`]);
  assert.equal((await s.decide(approvalId, "allow-once")).status, 200);
  assert.equal(await relay.code(), undefined, "from then on, without a restart");
  await s.served.close();

  s = await startServing(t, { at: place });
  assert.equal(await (await tell(t, s)).code(), undefined, "what was allowed stays so");
  await s.served.close();

  configure(place.homeDir, [{ uid: UID, role: "egress" }]);
  s = await startServing(t, { at: place });
  const neither = await tell(t, s);
  assert.equal(await neither.code(), "NOT_ENROLLED", "one role is gone, the other isn't there");
  const again = await s.asked();
  assert.equal((await s.decide(again.approvalId, "deny")).status, 200);
  assert.equal(await neither.code(), "NOT_ENROLLED");
});

test("what was accepted before emitters were asked about names none; a first start takes the file's", async (t) => {
  const emitters = [{ uid: 991, role: "relay" }] as const;
  const first = await openHub(t, { config: { receipts: { emitters } } });
  assert.deepEqual(first.hub.emitters, emitters);
  await first.store.commit([{ op: "put-setting", key: "config.accepted", value: { agents: {}, roots: [] } }]);
  await first.restart();
  assert.deepEqual(first.hub.emitters, []);
  const [question] = await first.hub.approvals.list({ limit: 10 });
  assert.deepEqual(question?.riskReasons, ["receipts.emitters: user 991 may write any sandbox's chain, as relay"]);
});

test("a recorder of its own has nobody to ask: whom it takes the word of is on record before they speak", async (t) => {
  const place = await paired(t);
  const changes = async () => {
    const receipts = (await wholeLedger(place.recorderHome)).map((raw) => JSON.parse(raw));
    return receipts.flatMap(({ issuer: { runtime } }) => (runtime.entry === "policy-changed" ? [runtime.details] : []));
  };
  configure(place.recorderHome, [{ uid: UID, role: "relay" }]);
  for (const _ of [1, 2]) await end(await place.start(), "SIGTERM");
  const enrolled = { file: "config.json", by: "recorder", emitters: [`relay:${UID}`] };
  assert.deepEqual(await changes(), [enrolled]);
  configure(place.recorderHome, []);
  const recorder = await place.start();
  const emitter = await openEmitter(t, homeAt(place.recorderHome).recorderSocket);
  emitter.send(ofSandbox());
  assert.equal((await emitter.answers(1))[0]?.error?.code, "NOT_ENROLLED");
  await end(recorder, "SIGTERM");
  assert.deepEqual(await changes(), [enrolled, { ...enrolled, emitters: [] }]);
});
