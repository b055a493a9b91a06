import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScopeOffer } from "@countersign/protocol/proposals";
import { GatewayClient, generateDeviceKey, makeNonce, signDecision } from "@countersign/sdk";
import { openServer, type TestServer } from "../support/open-server.ts";

interface Card {
  readonly approvalId: string;
  readonly proposalHash: string;
}

async function ask(server: TestServer, command: string) {
  const body = { command, cwd: server.workspace, session: "s" };
  const outcome = server.api("POST", "/api/v1/exec", body);
  for (;;) {
    const [card] = (await server.api("GET", "/api/v1/approvals")).body as Card[];
    if (card) return { card, outcome, path: `/api/v1/approvals/${card.approvalId}` };
  }
}

test("the ways to allow more than once are offered over HTTP and the envelope, and one is taken", async (t) => {
  const server = await openServer(t);
  const { card, outcome, path } = await ask(server, "touch made");
  const { body } = await server.api("GET", `${path}/scopes`);
  const { scopes } = body as { scopes: ScopeOffer[] };
  assert.deepEqual(scopes[0], {
    scope: "exact@session",
    words: "This exact command, this session",
    saves: ["touch made"],
  });
  const client = new GatewayClient({ url: `${server.url}/ws`, token: server.token, deviceType: "client" });
  const { hubDeviceId } = await client.connect();
  t.after(() => client.disconnect());
  const { approvalId } = card;
  assert.deepEqual(await client.request(hubDeviceId, "listScopes", { approvalId }), body);
  const given = { approvalId, decision: "allow-always", scope: "exact@30m" } as const;
  assert.deepEqual(await client.request(hubDeviceId, "resolveExecApproval", given), {
    ok: true,
    saved: ["touch made"],
  });
  await outcome;
  const { body: grants } = await server.api("GET", "/api/v1/grants");
  const [grant] = grants as { id: string; command: string; session: null; expiresAtMs: number; atMs: number }[];
  assert(grant);
  assert.deepEqual([grant.command, grant.session, grant.expiresAtMs - grant.atMs], ["touch made", null, 30 * 60_000]);
  assert.deepEqual(await server.api("DELETE", `/api/v1/grants/${grant.id}`), { status: 200, body: { ok: true } });
  assert.deepEqual((await server.api("GET", "/api/v1/grants")).body, []);
  assert.equal((await server.api("DELETE", `/api/v1/grants/${grant.id}`)).status, 404);
  assert.equal((await server.api("GET", `${path}/scopes`)).status, 404);
});

test("a signature holds for the scope that was signed, and for no other", async (t) => {
  const server = await openServer(t);
  const key = await generateDeviceKey();
  await server.api("POST", "/api/v1/devices", { deviceId: "laptop", name: "laptop", publicKey: key.publicKey });
  const { card, outcome, path } = await ask(server, "touch made");
  const sign = async (scope: string | undefined) => {
    const { approvalId, proposalHash } = card;
    const about = { approvalId, proposalHash, decision: "allow-always", nonce: makeNonce() } as const;
    const signature = await signDecision({ ...about, scope }, key.privateKey);
    return { decision: about.decision, nonce: about.nonce, keyId: key.keyId, signature };
  };
  const narrow = await sign("exact@session");
  for (const wrong of [
    narrow,
    { ...narrow, scope: "program@forever" },
    { ...(await sign(undefined)), scope: "exact@60m" },
  ])
    assert.equal((await server.api("POST", `${path}/decision`, wrong)).status, 403);
  const right = await server.api("POST", `${path}/decision`, { ...narrow, scope: "exact@session" });
  assert.deepEqual(right, { status: 200, body: { ok: true, saved: ["touch made"] } });
  await outcome;
  const decided = (await server.readLedger()).find((entry) => entry.type === "decided");
  assert.deepEqual([decided?.body.scope, decided?.body.assurance], ["exact@session", "device"]);
});

test("a paused session is resumed over the wire; without a session everything is", async (t) => {
  const server = await openServer(t, { denialsInARow: 1 });
  const { outcome, path } = await ask(server, "touch made");
  await server.api("POST", `${path}/decision`, { decision: "deny" });
  await outcome;
  const propose = async () => {
    const { body } = await server.api("POST", "/api/v1/exec", { command: "ls", session: "s" });
    return (body as { by: string }).by;
  };
  assert.equal(await propose(), "paused");
  assert.deepEqual(await server.api("POST", "/api/v1/resume", {}), { status: 200, body: { ok: true } });
  assert.equal(await propose(), "paused");
  assert.equal((await server.api("POST", "/api/v1/resume", { session: 7 })).status, 400);
  assert.equal((await server.api("POST", "/api/v1/resume", { session: "other" })).status, 404);
  assert.deepEqual(await server.api("POST", "/api/v1/resume", { session: "s" }), { status: 200, body: { ok: true } });
  assert.equal(await propose(), "policy");
});
