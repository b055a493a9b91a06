import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { Client, openServer } from "../support/open-server.ts";

const MINUTES = Number(process.env.FUZZ_MINUTES ?? 5);

const method = fc.constantFrom(
  ...[
    "proposeExec",
    "resolveExecApproval",
    "listExecApprovals",
    "getExecApproval",
    "getHubInfo",
    "listAgents",
    "pause",
    "resume",
  ],
  ...[
    "health.check",
    "agents.list",
    "sessions.create",
    "chat.send",
    "chat.abort",
    "chat.history",
    "chat.resume",
    "sessions.list",
    "sessions.get",
    "exec.approve",
    "exec.deny",
    "exec.list",
  ],
  ...["audit.tail", "__proto__", "constructor", "nope", ""],
);
const params = fc.oneof(
  fc.json().map((text) => JSON.parse(text)),
  fc.record({
    approvalId: fc.oneof(fc.uuid(), fc.string()),
    decision: fc.constantFrom("allow-once", "deny", "allow-always", "x"),
  }),
  fc.record({
    command: fc.oneof(fc.constant("ls"), fc.string({ unit: "binary" })),
    session: fc.string({ maxLength: 8 }),
  }),
);
const frame = (deviceId: string, hubDeviceId: string) =>
  fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.json(),
    fc.record({ id: fc.oneof(fc.nat(), fc.string()), method, params }).map((one) => JSON.stringify(one)),
    fc
      .record({
        id: fc.oneof(fc.uuid(), fc.string()),
        from: fc.oneof({ weight: 5, arbitrary: fc.constant(deviceId) }, { weight: 1, arbitrary: fc.string() }),
        to: fc.oneof({ weight: 5, arbitrary: fc.constant(hubDeviceId) }, { weight: 1, arbitrary: fc.string() }),
        action: fc.constantFrom("request", "request", "request", "register", "response", "exec-approval-request", ""),
        payload: fc.oneof(fc.record({ requestId: fc.string(), method, params }), fc.anything({ maxDepth: 2 })),
      })
      .map((one) => JSON.stringify(one, (_, value) => (typeof value === "bigint" ? String(value) : value))),
  );

test(`${MINUTES} minutes of noise on both dialects: no crash, no unhandled rejection, no leak`, async (t) => {
  const server = await openServer(t, { framesPerSecond: 1e9, frameBurst: 1e9, returnMs: 1, pendingPerSession: 8 });
  const unhandled: unknown[] = [];
  const note = (cause: unknown) => unhandled.push(cause);
  process.on("unhandledRejection", note);
  t.after(() => process.off("unhandledRejection", note));
  const end = Date.now() + MINUTES * 60_000;
  let rounds = 0;
  let firstHeap = 0;
  while (Date.now() < end) {
    const [envelope, rpc] = [await Client.open(`${server.url}/ws`), await Client.open(`${server.url}/`)];
    const deviceId = `fuzz-${rounds % 50}`;
    const payload = { deviceType: "client", token: server.token };
    envelope.send({ id: uuidv7(), from: deviceId, to: "gateway", action: "register", payload });
    rpc.send({ type: "auth", token: server.token });
    const hubDeviceId = String((await envelope.next()).payload?.hubDeviceId);
    for (const text of fc.sample(frame(deviceId, hubDeviceId), 200)) {
      envelope.send(text);
      rpc.send(text);
    }
    await server.hub.resume({ id: "t", role: "approver", name: "t", sameUser: false, unattended: false });
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
    for (const client of [envelope, rpc]) {
      client.socket.close();
      await client.closed;
    }
    rounds += 1;
    if (rounds === 20) firstHeap = settledHeap();
  }
  assert.ok(rounds > 20, `only ${rounds} rounds`);
  assert.deepEqual(unhandled, []);
  const growth = settledHeap() - firstHeap;
  t.diagnostic(`${rounds} rounds, heap grew by ${(growth / 1e6).toFixed(1)} MB`);
  assert.ok(growth < 80e6, `the heap grew by ${growth} bytes over ${rounds} rounds`);
});

function settledHeap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
