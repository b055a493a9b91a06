import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { SandboxCallAnswer, WireSandboxAct } from "@countersign/protocol/records";
import { openServer, type TestServer } from "../support/open-server.ts";

const SECONDS = 600;
const SANDBOX = { id: "box-1", call: "command" };

async function gateAt(server: TestServer) {
  const { token } = await server.makeToken("agent", "box-agent");
  const propose = async (act: WireSandboxAct, signal?: AbortSignal): Promise<SandboxCallAnswer> => {
    const response = await fetch(`${server.url}/api/v1/sandboxes/box-1/calls`, {
      ...{ method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } },
      ...{ body: JSON.stringify({ act, enforcement: "advisory" }), signal: signal ?? null },
    });
    assert.equal(response.status, 200);
    return (await response.json()) as SandboxCallAnswer;
  };
  const report = (permit: string, outcome: object, as = token) =>
    server.api("POST", `/api/v1/sandboxes/box-1/calls/${permit}/outcome`, { outcome }, as);
  return { token, propose, report };
}

async function card(server: TestServer): Promise<ExecApprovalRequestPayload> {
  for (let tries = 0; tries < 6_000; tries += 1) {
    const { body } = await server.api("GET", "/api/v1/approvals");
    const [found] = body as ExecApprovalRequestPayload[];
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return assert.fail("nobody was asked");
}

const answer = (server: TestServer, id: string, decision: object) =>
  server.api("POST", `/api/v1/approvals/${id}/decision`, decision);

test("what is safe in a sandbox is permitted unasked, once, and its end is on record as reported", async (t) => {
  const server = await openServer(t);
  const { propose, report, token } = await gateAt(server);
  const permitted = await propose({ kind: "command", command: "echo hi" });
  assert.ok("permit" in permitted);
  const other = await server.makeToken("agent", "other");
  assert.equal((await report(permitted.permit, { kind: "exited", exitCode: 0 }, other.token)).status, 404);
  assert.equal((await report(permitted.permit, { kind: "denied" })).status, 400);
  assert.equal((await report(permitted.permit, { kind: "exited", exitCode: 3 })).status, 200);
  assert.equal((await report(permitted.permit, { kind: "exited", exitCode: 0 }, token)).status, 404);
  const ledger = (await server.readLedger()).filter(({ proposalKey }) => proposalKey !== null);
  assert.deepEqual(
    ledger.map(({ type, body }) => [type, body.sandbox, body.reportedBy]),
    [
      ["decided", SANDBOX, undefined],
      ["started", SANDBOX, undefined],
      ["ended", SANDBOX, "executor"],
    ],
  );
  assert.equal(ledger[0]?.body.enforcement, "advisory");
});

test("a card shows the sandbox and the text, and a person's word decides", async (t) => {
  const server = await openServer(t);
  const { propose } = await gateAt(server);
  const acts: readonly [WireSandboxAct, RegExp, RegExp][] = [
    [
      { kind: "session", session: "s", command: "ls" },
      /^sandbox:box-1 session session=s\nls$/,
      /in a session of the sandbox box-1/,
    ],
    [
      { kind: "code", language: "python", code: "import os\nos.getcwd()" },
      /python\nimport os\nos\.getcwd/,
      /Runs python/,
    ],
    [{ kind: "terminal", seconds: SECONDS }, /^sandbox:box-1 terminal seconds=600\n$/, /for 10 min: whatever is typed/],
  ];
  for (const [act, text, sentence] of acts) {
    const asked = propose(act);
    const shown = await card(server);
    assert.match(shown.command, text);
    assert.ok(shown.effects.some((effect) => sentence.test(effect.sentence)));
    assert.deepEqual([shown.runBy, shown.jail, shown.cwd, shown.repository], ["agent", "none", "/", undefined]);
    await answer(server, shown.approvalId, { decision: "allow-once" });
    assert.ok("permit" in (await asked));
  }
  const denied = propose({ kind: "code", language: "python", code: "1" });
  await answer(server, (await card(server)).approvalId, { decision: "deny", reason: "use the tests" });
  const refused = await denied;
  assert.ok("words" in refused);
  assert.match(refused.words, /use the tests/);
});

test("paths of a sandbox aren't looked at on the hub's disk", async (t) => {
  const server = await openServer(t);
  const { propose } = await gateAt(server);
  // Here it would lead to the hub's own keys.
  mkdirSync(join(server.workspace, "a"));
  symlinkSync(server.home.dir, join(server.workspace, "a/link"));
  writeFileSync(join(server.workspace, "run.sh"), "echo");
  const path = join(server.workspace, "a/link/config.json");
  const asked = propose({ kind: "files", changes: [{ change: "modify", path, details: { mode: 644 } }] });
  const shown = await card(server);
  assert.deepEqual(
    shown.effects.map(({ kind, ruleId, sentence }) => [kind, ruleId, sentence]),
    [["writes", "sandbox.modify", `Changes ${path}, with mode 644, inside the sandbox box-1, not on this machine`]],
  );
  await answer(server, shown.approvalId, { decision: "deny" });
  await asked;
  const script = propose({ kind: "command", command: `bash ${join(server.workspace, "run.sh")}` });
  const { code, approvalId } = await card(server);
  assert.equal(code, undefined);
  await answer(server, approvalId, { decision: "deny" });
  await script;
});

test("a gate that goes away withdraws; nobody proposes a call's text as a command; an observer proposes nothing", async (t) => {
  const server = await openServer(t);
  const { propose, token } = await gateAt(server);
  const gone = new AbortController();
  const asked = propose({ kind: "code", language: "python", code: "1" }, gone.signal);
  const { approvalId } = await card(server);
  gone.abort();
  await assert.rejects(asked);
  for (let state = "pending"; state === "pending"; ) {
    const { body } = await server.api("GET", `/api/v1/approvals/${approvalId}`);
    state = (body as { state: string }).state;
  }
  const text = { command: "sandbox:box-1 command\nls" };
  assert.equal((await server.api("POST", "/api/v1/exec", text, token)).status, 400);
  const { token: observer } = await server.makeToken("observer");
  const act = { act: { kind: "command", command: "ls" }, enforcement: "advisory" };
  assert.equal((await server.api("POST", "/api/v1/sandboxes/box-1/calls", act, observer)).status, 403);
  assert.equal((await server.api("POST", "/api/v1/sandboxes/a%3Ab/calls", act, token)).status, 400);
  const long = { ...act, act: { kind: "command", command: "x".repeat(65_530) } };
  assert.equal((await server.api("POST", "/api/v1/sandboxes/box-1/calls", long, token)).status, 429);
});
