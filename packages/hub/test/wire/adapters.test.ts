import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { LocalAgents } from "../../src/api/local-agents.ts";
import { openServer, type TestServer } from "../support/open-server.ts";
import { enrolKey, signedOver } from "../support/sign-change.ts";

const CHANGE = { agent: "codex", wish: "disconnect" };
const PATH = "/api/v1/agents/codex/connect";

/** A machine with Codex on it, which asks or doesn't. */
async function open(t: TestContext) {
  const machine = { asks: false, broken: false };
  const told = { agent: "codex", settings: "/u/.codex/hooks.json", backups: [], notes: [] };
  const change = async (asks: boolean) => {
    if (machine.broken) throw Object.assign(new Error("/u/.codex/hooks.json can't be changed"), { code: "FAILED" });
    const changed = machine.asks !== asks;
    machine.asks = asks;
    return { ...told, changed, files: changed ? [told.settings] : [] };
  };
  const agents: LocalAgents = {
    find: () => [{ agent: "codex", hooked: machine.asks ? ["user"] : [] }],
    commandFor: (name) => `countersign install ${name}`,
    connect: () => change(true),
    disconnect: () => change(false),
  };
  const server = await openServer(t, {}, undefined, { agents });
  return { server, machine };
}

async function recorded({ readLedger }: TestServer) {
  const entries = (await readLedger()).filter(({ type }) => type.startsWith("adapter-"));
  return entries.map(({ type, body: { person: _, ...said } }): Record<string, unknown> => ({ type, ...said }));
}

test("connecting and disconnecting an agent is on record; connecting twice is one change", async (t) => {
  const { server, machine } = await open(t);
  assert.equal((await server.api("POST", PATH)).status, 200);
  assert.equal((await server.api("POST", PATH)).status, 200);
  assert.equal((await server.api("DELETE", PATH)).status, 200);
  assert.equal(machine.asks, false);
  assert.deepEqual(await recorded(server), [
    { type: "adapter-installed", agent: "codex", files: ["/u/.codex/hooks.json"] },
    { type: "adapter-removed", agent: "codex", assurance: "token" },
  ]);
  const receipts = (await server.api("GET", "/api/v1/receipts?limit=10")).body as {
    receipt: { credentialSubject: { action: { type: string; risk_level: string } } };
  }[];
  const actions = receipts.map(({ receipt }) => receipt.credentialSubject.action);
  const adapters = actions.filter(({ type }) => type.includes("adapter")).map((one) => [one.type, one.risk_level]);
  assert.deepEqual(adapters, [
    ["dev.countersign.adapter.install", "medium"],
    ["dev.countersign.adapter.remove", "high"],
  ]);
});

test("where a device signs, only it takes an agent's hook out, and never while paused", async (t) => {
  const { server, machine } = await open(t);
  machine.asks = true;
  const key = await enrolKey(server);
  const disconnect = (body: object = {}) => server.api("DELETE", PATH, body);
  assert.equal((await disconnect()).status, 403);
  const wrong = [
    await signedOver("agent:codex", { ...CHANGE, agent: "gemini" }, key),
    await signedOver("agent:gemini", CHANGE, key),
  ];
  for (const signature of wrong) assert.equal((await disconnect(signature)).status, 403);
  const signature = await signedOver("agent:codex", CHANGE, key);
  await server.api("POST", "/api/v1/pause", {});
  const paused = await disconnect(signature);
  assert.equal(paused.status, 403);
  assert.match(JSON.stringify(paused.body), /paused/);
  assert.equal(machine.asks, true);
  assert.deepEqual(await recorded(server), []);
  await server.api("POST", "/api/v1/resume", {});
  assert.equal((await disconnect(signature)).status, 200);
  assert.equal(machine.asks, false);
  machine.asks = true;
  assert.equal((await disconnect(signature)).status, 403, "a signature is good once");
  assert.equal(machine.asks, true);
  const { keyId } = key;
  assert.deepEqual(await recorded(server), [
    { type: "adapter-removed", agent: "codex", assurance: "device", device: keyId, keyId },
  ]);
});

test("what could not be taken out is on record as that", async (t) => {
  const { server, machine } = await open(t);
  Object.assign(machine, { asks: true, broken: true });
  assert.equal((await server.api("DELETE", PATH)).status, 409);
  assert.deepEqual(
    (await recorded(server)).map(({ type, problem }) => [type, problem]),
    [
      ["adapter-removed", undefined],
      ["adapter-removed", "/u/.codex/hooks.json can't be changed"],
    ],
  );
  assert.equal((await server.api("POST", PATH)).status, 409);
  assert.equal((await recorded(server)).length, 2, "nothing was connected");
});

test("what the command line takes out itself is recorded, and nothing else is done; signed over those very settings", async (t) => {
  const { server, machine } = await open(t);
  machine.asks = true;
  const told = { settings: "/u/work/.codex/hooks.json" };
  const key = await enrolKey(server);
  const sign = (content: object) => signedOver("agent:codex", { ...CHANGE, ...content }, key);
  assert.equal((await server.api("DELETE", PATH, { ...told, ...(await sign({})) })).status, 403);
  assert.equal((await server.api("DELETE", PATH, { ...told, ...(await sign(told)) })).status, 200);
  const failed = { ...told, problem: "it can't be written" };
  assert.equal((await server.api("DELETE", PATH, { ...failed, ...(await sign(failed)) })).status, 200);
  assert.equal(machine.asks, true);
  assert.deepEqual(
    (await recorded(server)).map(({ type, settings, problem }) => ({ type, settings, problem })),
    [
      { type: "adapter-removed", settings: told.settings, problem: undefined },
      { type: "adapter-removed", ...failed },
    ],
  );
});

test("a problem without settings is refused: what the hub does itself, it tells itself", async (t) => {
  const { server, machine } = await open(t);
  machine.asks = true;
  assert.equal((await server.api("DELETE", PATH, { problem: "it can't be written" })).status, 400);
  assert.equal(machine.asks, true);
  assert.deepEqual(await recorded(server), []);
});
