import assert from "node:assert/strict";
import { test } from "node:test";
import { ExecOutputAction, ExecOutputEndedAction } from "@countersign/protocol/proposals";
import { followOutput } from "../src/follow/follow-output.ts";
import { GatewayFixture } from "./gateway-fixture.ts";

const event = (id: string, text: string, proposalId = "p1") => ({ proposalId, id, stream: "stdout", text });

test("a followed output goes on over a lost connection, after what has come, and ends with the outcome", async (t) => {
  const gateway = await GatewayFixture.start(t);
  const client = gateway.client(t);
  await client.connect();
  const texts: string[] = [];
  const ended = followOutput(client, "p1", { onOutput: ({ text }) => texts.push(text) });
  const first = await gateway.nextRequest();
  assert.deepEqual([first.method, first.params], ["followOutput", { proposalId: "p1" }]);
  first.answer({ ok: true });
  first.peer.push(ExecOutputAction, event("1-0", "a"));
  first.peer.push(ExecOutputAction, event("9-0", "another run's", "p2"));
  first.peer.push(ExecOutputAction, event("9-0", "from somebody else"), "device-2");
  first.peer.push(ExecOutputAction, { ...event("9-0", "x"), stream: "stdin" });
  first.peer.push(ExecOutputAction, event("2-0", "b"));
  while (texts.length < 2) await new Promise((resolve) => setImmediate(resolve));
  gateway.cut();
  const second = await gateway.nextRequest();
  assert.deepEqual(second.params, { proposalId: "p1", after: "2-0" });
  second.answer({ ok: true });
  second.peer.push(ExecOutputAction, event("3-0", "c"));
  second.peer.push(ExecOutputEndedAction, { proposalId: "p2" });
  second.peer.push(ExecOutputEndedAction, { proposalId: "p1", outcome: { kind: "exited", exitCode: 0 } });
  assert.deepEqual(await ended, { proposalId: "p1", outcome: { kind: "exited", exitCode: 0 } });
  assert.deepEqual(texts, ["a", "b", "c"]);
});

test("a refusal, a disconnect and a signal end the following", async (t) => {
  const gateway = await GatewayFixture.start(t);
  const client = gateway.client(t);
  await client.connect();
  const onOutput = () => undefined;
  const refused = followOutput(client, "p1", { onOutput });
  (await gateway.nextRequest()).refuse("NOT_FOUND", "There's no such proposal");
  await assert.rejects(refused, { code: "NOT_FOUND" });

  const leaving = new AbortController();
  const left = followOutput(client, "p1", { onOutput, signal: leaving.signal });
  (await gateway.nextRequest()).answer({ ok: true });
  const told = gateway.nextRequest();
  leaving.abort();
  await assert.rejects(left, { code: "ABORTED" });
  assert.deepEqual([(await told).method, (await told).params], ["unfollowOutput", { proposalId: "p1" }]);

  const cut = followOutput(client, "p1", { onOutput });
  await gateway.nextRequest();
  client.disconnect();
  await assert.rejects(cut, { code: "DISCONNECTED" });
});
