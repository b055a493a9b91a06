import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type HubState, hubStateSchema } from "@countersign/protocol/hub";
import { HubStateAction, type RunEnded, type RunView } from "@countersign/protocol/proposals";
import { followOutput, followRuns, GatewayClient, type GatewayError } from "@countersign/sdk";
import { eventually, type Serving, startServing, TOKEN } from "../support/serve-fixture.ts";

const FULL = { security: "full", ask: "off" };
const WAITS = "echo begun; while [ ! -e go ]; do sleep 0.02; done; exit 3";

async function connect(t: TestContext, s: Serving, token = TOKEN): Promise<GatewayClient> {
  const url = `${s.served.url.replace("http", "ws")}/ws`;
  const client = new GatewayClient({ url, token, deviceType: "client", backoff: { minMs: 1, maxMs: 5 } });
  t.after(() => client.disconnect());
  await client.connect();
  return client;
}

async function makeToken(s: Serving, role: string): Promise<string> {
  return (await s.call("/api/v1/tokens", { method: "POST", body: { role, name: role } })).body.token;
}

function start(s: Serving, command: string, proposalId: string): Promise<unknown> {
  return s.propose(command, { proposalId }, { headers: { prefer: "respond-async" } });
}

function follow(client: GatewayClient) {
  const lists: (readonly RunView[])[] = [];
  const ends: RunEnded[] = [];
  const errors: GatewayError[] = [];
  const stop = followRuns(client, {
    onRuns: (runs) => lists.push(runs),
    onEnded: (ended) => ends.push(ended),
    onError: (error) => errors.push(error),
  });
  return { lists, ends, errors, stop, commands: () => lists.at(-1)?.map(({ command }) => command) };
}

/** Listed is what is about to be started, too. */
async function begun(client: GatewayClient, run: RunView | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    followOutput(client, run?.key ?? "", { onOutput: () => resolve() }).catch(reject);
  });
}

test("who asked is told what begins and how it ends; nobody else is", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const client = await connect(t, s);
  const silent = await connect(t, s);
  const heard: string[] = [];
  silent.onMessage(({ action }) => heard.push(action));
  const runs = follow(client);
  await eventually(() => runs.lists.length === 1);
  assert.equal(runs.commands()?.length, 0);
  await start(s, WAITS, "p1");
  await eventually(() => runs.commands()?.length === 1);
  const [run] = runs.lists.at(-1) ?? [];
  assert.deepEqual(
    { command: run?.command, cwd: run?.cwd, approvalId: run?.approvalId },
    { command: WAITS, cwd: s.workspace, approvalId: undefined },
  );
  // Somebody who comes later has the list first.
  const late = follow(await connect(t, s, await makeToken(s, "observer")));
  await eventually(() => late.commands()?.length === 1);
  writeFileSync(join(s.workspace, "go"), "");
  await eventually(() => runs.ends.length === 1 && late.ends.length === 1);
  assert.deepEqual(runs.lists.at(-1), []);
  const [ended] = runs.ends;
  assert.equal(ended?.key, run?.key);
  assert.deepEqual([ended?.outcome?.kind, ended?.outcome?.exitCode], ["exited", 3]);
  assert.match(ended?.outcome?.receipt ?? "", /^sha256:/);
  assert.deepEqual(late.ends, runs.ends);
  assert.deepEqual(
    heard.filter((action) => action.startsWith("exec-run")),
    [],
  );
});

test("who stopped asking isn't told; who came back is asked for again", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const [client, other] = [await connect(t, s), await connect(t, s)];
  const [runs, gone] = [follow(client), follow(other)];
  await eventually(() => runs.lists.length === 1 && gone.lists.length === 1);
  gone.stop();
  await other.request(other.hubDeviceId ?? "", "listRuns", {});
  client.disconnect();
  await start(s, WAITS, "p1");
  await client.connect();
  await eventually(() => runs.commands()?.length === 1);
  writeFileSync(join(s.workspace, "go"), "");
  await eventually(() => runs.ends.length === 1);
  assert.deepEqual([gone.lists.length, gone.ends.length, runs.errors.length], [1, 0, 0]);
});

test("who asked is told how the hub stands when that changes; nobody else is", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const [client, silent] = [await connect(t, s), await connect(t, s)];
  const hub = client.hubDeviceId ?? "";
  const told: HubState[] = [];
  const heard: string[] = [];
  client.onMessage(({ action, payload }) => {
    if (action === HubStateAction) told.push(hubStateSchema.parse(payload));
  });
  silent.onMessage(({ action }) => heard.push(action));
  const before = await client.request(hub, "followState", {});
  assert.deepEqual([before.paused, before.today.exited ?? 0], [null, 0]);
  await s.propose("echo hi");
  await eventually(() => told.at(-1)?.today.exited === 1);
  await silent.request(hub, "pause", {});
  await eventually(() => told.at(-1)?.paused?.by !== undefined);
  await silent.request(hub, "resume", {});
  await eventually(() => told.at(-1)?.paused === null);
  await client.request(hub, "unfollowState", {});
  const count = told.length;
  await silent.request(hub, "pause", {});
  const other = await connect(t, s);
  await other.request(hub, "followState", {});
  const news = new Promise<void>((resolve) => other.onMessage(({ action }) => action === HubStateAction && resolve()));
  await silent.request(hub, "resume", {});
  await news;
  assert.equal(told.length, count);
  assert.equal(heard.includes(HubStateAction), false);
});

test("an approver stops a run, whoever's it is; the outcome says who did and why", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const client = await connect(t, s);
  const hub = client.hubDeviceId ?? "";
  const runs = follow(client);
  const agent = { authorization: `Bearer ${await makeToken(s, "agent")}`, prefer: "respond-async" };
  await s.propose(WAITS, { proposalId: "p1" }, { headers: agent });
  await s.propose(WAITS, { proposalId: "p2" }, { headers: agent });
  await eventually(() => runs.commands()?.length === 2);
  const [first, second] = runs.lists.at(-1) ?? [];
  await Promise.all([begun(client, first), begun(client, second)]);
  const observer = await connect(t, s, await makeToken(s, "observer"));
  const refusal = observer.request(hub, "stopRun", { key: first?.key ?? "" });
  await assert.rejects(refusal, { code: "UNAUTHORIZED" });
  await client.request(hub, "stopRun", { key: first?.key ?? "", reason: "it loops" });
  await eventually(() => runs.ends.length === 1);
  const [{ key, outcome } = { key: "", outcome: undefined }] = runs.ends;
  assert.deepEqual([key, outcome?.kind], [first?.key, "aborted"]);
  assert.match(outcome?.reason ?? "", /^Stopped by \S+: it loops$/);
  assert.deepEqual(runs.lists.at(-1), [second]);
  // It has ended; and what isn't text isn't a key.
  await assert.rejects(client.request(hub, "stopRun", { key: first?.key ?? "" }), { code: "NOT_FOUND" });
  await assert.rejects(client.request(hub, "stopRun", { key: "" }), { code: "INVALID_PARAMS" });
  await client.request(hub, "stopRun", { key: second?.key ?? "" });
  await eventually(() => runs.ends.length === 2);
});
