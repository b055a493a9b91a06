import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type SocketResponse, socketResponseSchema } from "@countersign/protocol/wire";
import { readLedger } from "@countersign/store";
import { FakeClock } from "../support/fake-clock.ts";
import { eventually, type Serving, startServing } from "../support/serve-fixture.ts";

const FULL = { security: "full", ask: "off" };
const ASKS = { ask: "always", timeoutMs: 600_000 };

interface Connection {
  readonly socket: Socket;
  /** Everything that was answered so far, a line each. */
  readonly lines: string[];
  send(...requests: unknown[]): void;
  answers(count: number): Promise<SocketResponse[]>;
}

async function open(t: TestContext, s: Serving): Promise<Connection> {
  const socket = connect(s.served.home.socket);
  t.after(() => socket.destroy());
  await once(socket, "connect");
  const lines: string[] = [];
  let rest = "";
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    const parts = (rest + chunk.toString("utf8")).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  });
  return {
    socket,
    lines,
    send: (...requests) => socket.write(requests.map((request) => `${JSON.stringify(request)}\n`).join("")),
    async answers(count) {
      await eventually(() => lines.length >= count);
      assert.equal(lines.length, count);
      return lines.map((line) => socketResponseSchema.parse(JSON.parse(line)));
    },
  };
}

const proposeExec = (command: string, more: object = {}) => ({ method: "proposeExec", params: { command, ...more } });

function codes(answers: readonly SocketResponse[]): string[] {
  return answers.map((answer) => (answer.ok ? "ok" : answer.error.code));
}

const stdouts = (answers: readonly SocketResponse[]) =>
  answers.map((answer) => (answer.ok ? (answer.payload as { stdout: string }).stdout : answer));

test("one line in, one out, several in order, and the file is for its owner alone", async (t) => {
  const s = await startServing(t, { profile: FULL });
  assert.equal(statSync(s.served.home.socket).mode & 0o777, 0o600);
  const c = await open(t, s);
  c.send(proposeExec("sleep 0.1; echo 1", { cwd: s.workspace }), proposeExec("echo 2"), proposeExec("echo 3"));
  assert.deepEqual(stdouts(await c.answers(3)), ["1\n", "2\n", "3\n"]);
  const text = `${JSON.stringify(proposeExec("echo ü"))}\n`;
  const bytes = Buffer.from(text);
  // Cut inside a character: half a line waits for its other half.
  const at = bytes.indexOf(0xc3) + 1;
  c.socket.write(bytes.subarray(0, at));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(c.lines.length, 3);
  c.socket.write(bytes.subarray(at));
  assert.deepEqual(stdouts(await c.answers(4)).at(-1), "ü\n");
});

test("garbage is answered with a code, runs nothing, and the connection goes on", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const c = await open(t, s);
  const marker = join(s.workspace, "marker");
  const command = `touch ${marker}`;
  const lines: [string | Buffer, string][] = [
    ["", "INVALID_PARAMS"],
    ["garbage", "INVALID_PARAMS"],
    ["[]", "INVALID_PARAMS"],
    ["null", "INVALID_PARAMS"],
    ['{"method":1}', "INVALID_PARAMS"],
    [JSON.stringify({ ...proposeExec(command), more: 1 }), "INVALID_PARAMS"],
    [JSON.stringify({ method: "proposeExec" }), "INVALID_PARAMS"],
    [JSON.stringify(proposeExec(command, { token: "x" })), "INVALID_PARAMS"],
    [
      Buffer.concat([
        Buffer.from(`{"method":"proposeExec","params":{"command":"${command} `),
        Buffer.from([0xff]),
        Buffer.from('"}}'),
      ]),
      "INVALID_PARAMS",
    ],
    [`{"method":"proposeExec","params":{"command":"${command} \\ud800"}}`, "INVALID_PARAMS"],
    [JSON.stringify({ method: "nothing" }), "METHOD_NOT_FOUND"],
    [JSON.stringify({ method: "__proto__" }), "METHOD_NOT_FOUND"],
    [JSON.stringify({ method: "m".repeat(65) }), "INVALID_PARAMS"],
    [JSON.stringify({ method: "cancelExec" }), "INVALID_PARAMS"],
    [JSON.stringify({ method: "cancelExec", params: { proposalId: "unknown" } }), "NOT_FOUND"],
  ];
  for (const [line] of lines) c.socket.write(Buffer.concat([Buffer.from(line as string), Buffer.from("\n")]));
  assert.deepEqual(
    codes(await c.answers(lines.length)),
    lines.map(([, code]) => code),
  );
  assert.ok(!existsSync(marker));
  c.send(proposeExec("true"));
  assert.deepEqual(codes(await c.answers(lines.length + 1)).at(-1), "ok");
});

test("nobody decides over the socket, and nobody sees what waits", async (t) => {
  const s = await startServing(t, { profile: ASKS });
  const waiting = await open(t, s);
  waiting.send(proposeExec(`touch ${s.workspace}/marker`));
  const { approvalId } = await s.asked();
  const c = await open(t, s);
  const methods = [
    "resolveExecApproval",
    "exec.approve",
    "listExecApprovals",
    "getExecApproval",
    "pause",
    "resume",
    "state",
  ];
  c.send(...methods.map((method) => ({ method, params: { approvalId, decision: "allow-once" } })));
  assert.deepEqual(
    codes(await c.answers(methods.length)),
    methods.map(() => "METHOD_NOT_FOUND"),
  );
  await s.decide(approvalId, "deny");
  const [answer] = await waiting.answers(1);
  assert.deepEqual(answer?.ok && (answer.payload as { kind: string }).kind, "denied");
  assert.ok(!existsSync(join(s.workspace, "marker")));
});

test("another's proposal can't be cancelled over the socket, one's own can", async (t) => {
  const s = await startServing(t, { profile: ASKS });
  await s.propose("echo theirs", { proposalId: "p1" }, { headers: { prefer: "respond-async" } });
  const [c, other] = [await open(t, s), await open(t, s)];
  other.send({ method: "cancelExec", params: { proposalId: "p1" } });
  assert.deepEqual(codes(await other.answers(1)), ["NOT_FOUND"]);
  c.send(proposeExec("echo mine", { proposalId: "p1" }));
  await eventually(async () => (await s.call("/api/v1/approvals")).body.length === 2);
  other.send({ method: "cancelExec", params: { proposalId: "p1" } });
  const [answer] = await c.answers(1);
  assert.equal(answer?.ok && (answer.payload as { kind: string }).kind, "cancelled");
  assert.deepEqual(
    (await s.call("/api/v1/approvals")).body.map((card: { command: string }) => card.command),
    ["echo theirs"],
  );
});

test("a line past the limit is refused and the connection closed, whether or not it ever ends", async (t) => {
  const s = await startServing(t, { profile: FULL, limits: { frameBytes: 1024 * 1024 } });
  for (const end of ["", "\n"]) {
    const c = await open(t, s);
    c.send(proposeExec("echo first"));
    c.socket.write(`{"method":"${"x".repeat(1024 * 1024)}"}${end}`);
    await once(c.socket, "close");
    assert.deepEqual(codes(await c.answers(2)), ["ok", "LIMIT"]);
  }
  assert.equal((await s.call("/healthz")).status, 200);
});

test("a client that asks and never reads costs a bounded amount of memory", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const socket = connect(s.served.home.socket);
  t.after(() => socket.destroy());
  await once(socket, "connect");
  socket.pause();
  const before = process.memoryUsage().rss;
  let full = false;
  for (let n = 0; n < 1_000 && !full; n += 1) {
    if (socket.write("x\n".repeat(32_000))) continue;
    full = await Promise.race([
      once(socket, "drain").then(() => false),
      new Promise<boolean>((resolve) => setTimeout(resolve, 300, true)),
    ]);
  }
  assert.ok(full, "the hub took everything");
  const grown = process.memoryUsage().rss - before;
  assert.ok(grown < 100_000_000, `${grown} bytes more`);
});

test("a client that goes away withdraws what it waits for, also when it had sent more", async (t) => {
  const clock = new FakeClock();
  const s = await startServing(t, { profile: ASKS, clock, limits: { returnMs: 10_000 } });
  for (const more of [[], [proposeExec("echo later")]]) {
    const c = await open(t, s);
    c.send(proposeExec(`touch ${s.workspace}/marker`, { proposalId: `p${more.length}` }));
    await s.asked();
    if (more.length > 0) c.send(...more);
    c.socket.destroy();
    const proposal = s.served.hub.proposals.openProposals.find("local", `p${more.length}`);
    await eventually(() => proposal?.waiters === 0);
    clock.advance(10_000);
    await eventually(async () => (await s.call("/api/v1/approvals")).body.length === 0);
  }
  const types: string[] = [];
  for await (const entry of readLedger(s.served.home.database)) types.push(entry.type);
  assert.ok(!types.includes("started"));
  assert.ok(!existsSync(join(s.workspace, "marker")));
});

test("half a line and a hang-up propose nothing", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const c = await open(t, s);
  c.socket.end(JSON.stringify(proposeExec(`touch ${s.workspace}/marker`)));
  await once(c.socket, "close");
  assert.deepEqual(c.lines, []);
  assert.ok(!existsSync(join(s.workspace, "marker")));
});
