import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { proposalHashOf } from "@countersign/protocol/text";
import { GatewayClient, GatewayError } from "@countersign/sdk";
import { ALICE, openHub } from "../support/open-hub.ts";
import { openServer, type TestServer } from "../support/open-server.ts";

const SECRET = `ghp_${"r3V3".repeat(9)}`;
const COMMAND = `curl -H 'Authorization: token ${SECRET}' https://example.org`;

async function connect(t: TestContext, server: TestServer, token: string, deviceType: "client" | "agent") {
  const client = new GatewayClient({ url: `${server.url}/ws`, token, deviceType });
  t.after(() => client.disconnect());
  return { client, to: (await client.connect()).hubDeviceId };
}

test("an approver sees what is hidden by asking for it, and that is on record; nobody else does", async (t) => {
  const server = await openServer(t);
  const env = { NOTE: SECRET };
  const proposed = server.api("POST", "/api/v1/exec", { command: COMMAND, cwd: server.workspace, env, reason: SECRET });
  let card: ExecApprovalRequestPayload | undefined;
  while (!card) [card] = (await server.api("GET", "/api/v1/approvals")).body as ExecApprovalRequestPayload[];
  const { approvalId } = card;
  assert.ok(!JSON.stringify(card).includes("r3V3"));
  const path = `/api/v1/approvals/${approvalId}/reveal`;
  for (const role of ["agent", "observer"]) {
    const { token } = await server.makeToken(role);
    assert.equal((await server.api("POST", path, {}, token)).status, 403, role);
    const { client, to } = await connect(t, server, token, role === "agent" ? "agent" : "client");
    const asked = client.request(to, "revealExecApproval", { approvalId });
    await assert.rejects(asked, (cause) => cause instanceof GatewayError && cause.code === "UNAUTHORIZED", role);
  }
  assert.ok(!(await server.readLedger()).some(({ type }) => type === "revealed"));

  const { body: revealed } = await server.api("POST", path, {});
  const shown = revealed as ExecApprovalRequestPayload;
  assert.deepEqual([shown.command, shown.env, shown.reason], [COMMAND, env, SECRET]);
  // What was shown is what runs: its hash can be computed from it.
  assert.equal(await proposalHashOf({ command: COMMAND, cwd: server.workspace, env }), card.proposalHash);
  const { client, to } = await connect(t, server, server.token, "client");
  assert.deepEqual(await client.request(to, "revealExecApproval", { approvalId }), revealed);
  assert.deepEqual((await server.api("GET", `/api/v1/approvals/${approvalId}`)).body, card, "only for whoever asked");

  const entries = (await server.readLedger()).filter(({ type }) => type === "revealed");
  assert.equal(entries.length, 2);
  assert.deepEqual(Object.keys(entries[0]?.body ?? {}).sort(), ["approvalId", "person", "proposalHash"]);
  assert.ok(!JSON.stringify(entries).includes("r3V3"));
  await server.api("POST", `/api/v1/approvals/${approvalId}/decision`, { decision: "deny" });
  await proposed;
  assert.equal((await server.api("POST", path, {})).status, 404);
  const audit = () => readFileSync(server.home.audit, "utf8");
  while (!audit().includes('"kind":"denied"')) await wait(5);
  assert.match(audit(), new RegExp(`"event":"revealed","approvalId":"${approvalId}"`));
  assert.ok(!audit().includes("r3V3"));
});

test("once the deadline has passed nothing is revealed, also before the end is on record", async (t) => {
  const h = await openHub(t);
  const proposed = h.propose(COMMAND);
  const { approvalId, expiresAtMs } = await h.asked();
  assert.equal((await h.hub.reveal(approvalId, ALICE)).command, COMMAND);
  // In the very moment: whoever asks comes before the timer.
  h.clock.advance(expiresAtMs - h.clock.wallMs());
  await assert.rejects(async () => await h.hub.reveal(approvalId, ALICE), { code: "NOT_FOUND" });
  assert.equal((await proposed).kind, "expired");
  await assert.rejects(async () => await h.hub.reveal(approvalId, ALICE), { code: "NOT_FOUND" });
  await assert.rejects(async () => await h.hub.reveal("no such", ALICE), { code: "NOT_FOUND" });
});

test("after a restart what waits is revealed as before; a change of the policy is too", async (t) => {
  const h = await openHub(t);
  // Whoever waits for it goes down with the hub.
  h.propose(COMMAND).catch(() => undefined);
  const { approvalId } = await h.asked();
  const before = await h.hub.reveal(approvalId, ALICE);
  await h.crashAndReopen();
  assert.deepEqual(await h.hub.reveal(approvalId, ALICE), before);

  h.writeProfile({ allowlist: [{ pattern: `curl -H 'Authorization: token ${SECRET}' **` }] });
  await h.restart();
  const [card] = (await h.hub.approvals.list({ limit: 10 })).filter(({ subject }) => subject === "policy");
  assert.ok(card && !JSON.stringify(card).includes("r3V3"), JSON.stringify(card));
  const { riskReasons } = await h.hub.reveal(card.approvalId, ALICE);
  assert.ok(riskReasons.some((sentence) => sentence.includes(SECRET)));
});
