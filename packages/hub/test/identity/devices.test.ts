import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { proposalHashOf } from "@countersign/protocol/text";
import { generateDeviceKey, makeNonce, signDecision } from "@countersign/sdk";
import { Client, openServer, type TestServer } from "../support/open-server.ts";

interface Card {
  approvalId: string;
  proposalHash: string;
  command: string;
  cwd: string;
  env: Record<string, string>;
}

async function ask(server: TestServer, command = "touch made") {
  const outcome = server.api("POST", "/api/v1/exec", { command, cwd: server.workspace });
  for (;;) {
    const [card] = (await server.api("GET", "/api/v1/approvals")).body as Card[];
    if (card) return { card, outcome };
  }
}

async function enrolled(server: TestServer, token = server.token, deviceId = "laptop") {
  const key = await generateDeviceKey();
  const body = { deviceId, name: "laptop", publicKey: key.publicKey };
  const { status, body: answer } = await server.api("POST", "/api/v1/devices", body, token);
  assert.deepEqual([status, answer], [200, { deviceId, keyId: key.keyId }]);
  return key;
}

type Key = Awaited<ReturnType<typeof generateDeviceKey>>;

async function signed(card: Card, key: Key, change: Record<string, string> = {}) {
  const decision = "allow-once" as const;
  const nonce = makeNonce();
  const { approvalId, proposalHash } = card;
  const signature = await signDecision({ approvalId, proposalHash, decision, nonce, ...change }, key.privateKey);
  return { decision, nonce, keyId: key.keyId, signature };
}

test("a decision signed by a device's key is on record as such; the hash is that of what was displayed", async (t) => {
  const server = await openServer(t);
  const key = await enrolled(server);
  const { card, outcome } = await ask(server);
  assert.equal(await proposalHashOf(card), card.proposalHash);
  const answer = await signed(card, key);
  assert.deepEqual(await server.api("POST", `/api/v1/approvals/${card.approvalId}/decision`, answer), {
    status: 200,
    body: { ok: true },
  });
  assert.equal(((await outcome).body as { kind: string }).kind, "exited");
  const entries = await server.readLedger();
  const decided = entries.find((entry) => entry.body.approvalId === card.approvalId && entry.type === "decided");
  const { assurance, device, keyId } = decided?.body ?? {};
  assert.deepEqual({ assurance, device, keyId }, { assurance: "device", device: "laptop", keyId: key.keyId });
});

test("a wrong signature decides nothing, in whatever way it is wrong; the plain form stays", async (t) => {
  const server = await openServer(t);
  const other = await server.makeToken("approver", "bob");
  const key = await enrolled(server);
  const othersKey = await enrolled(server, other.token, "phone");
  const { card, outcome } = await ask(server);
  const good = await signed(card, key);
  const stranger = await generateDeviceKey();
  const path = `/api/v1/approvals/${card.approvalId}/decision`;
  const wrong = [
    await signed(card, stranger),
    await signed(card, key, { proposalHash: `sha256:${"0".repeat(64)}` }),
    await signed(card, key, { approvalId: "another" }),
    await signed(card, key, { decision: "deny" }),
    { ...good, nonce: makeNonce() },
    { ...good, decision: "deny" },
    await signed(card, othersKey),
    { ...good, signature: "AAAA" },
  ];
  for (const answer of wrong)
    assert.equal((await server.api("POST", path, answer)).status, 403, JSON.stringify(answer));
  const { signature: _, ...half } = good;
  assert.equal((await server.api("POST", path, half)).status, 400);
  assert.equal(server.hub.approvals.pending, 1);
  assert.equal((await server.api("POST", path, { decision: "deny" })).status, 200);
  assert.equal(((await outcome).body as { kind: string }).kind, "denied");
});

test("a nonce is accepted once", async (t) => {
  const server = await openServer(t);
  const key = await enrolled(server);
  const nonce = makeNonce();
  const answerWith = async (card: Card) => {
    const { approvalId, proposalHash } = card;
    const signature = await signDecision({ approvalId, proposalHash, decision: "deny", nonce }, key.privateKey);
    const answer = { decision: "deny", nonce, keyId: key.keyId, signature };
    return (await server.api("POST", `/api/v1/approvals/${approvalId}/decision`, answer)).status;
  };
  assert.equal(await answerWith((await ask(server)).card), 200);
  assert.equal(await answerWith((await ask(server)).card), 403);
  assert.equal(server.hub.approvals.pending, 1);
});

test("a device's key can't be taken over by another token, nor replaced", async (t) => {
  const server = await openServer(t);
  const { token } = await server.makeToken("approver", "mallory");
  await enrolled(server);
  const { publicKey } = await generateDeviceKey();
  const body = { deviceId: "laptop", name: "laptop", publicKey };
  assert.equal((await server.api("POST", "/api/v1/devices", body, token)).status, 403);
  assert.equal((await server.api("POST", "/api/v1/devices", body)).status, 403);
  assert.equal((await server.api("POST", "/api/v1/devices", { ...body, publicKey: "short" })).status, 400);
  const another = { ...body, deviceId: "another" };
  assert.equal(
    (await server.api("POST", "/api/v1/devices", another)).status,
    403,
    "a stolen token makes no key of its own",
  );
  const spareBits = { ...body, deviceId: "third", publicKey: `${publicKey.slice(0, -1)}B` };
  assert.equal((await server.api("POST", "/api/v1/devices", spareBits, token)).status, 400);
});

test("pairing: a code, a claim with a key and a name, the same number on both sides, one token", async (t) => {
  const server = await openServer(t);
  const key = await generateDeviceKey();
  const secret = "a-secret-of-the-new-device";
  const { code } = (await server.api("POST", "/api/v1/pairing", {})).body as { code: string };
  const claim = { code, name: "phone", publicKey: key.publicKey, secret };
  const open = async (path: string, body: object) =>
    await server.api("POST", `/api/v1/pairing/${path}`, body, "no-token");
  const { check } = (await open("claim", claim)).body as { check: string };
  assert.match(check, /^\d{6}$/);
  assert.equal((await open("claim", claim)).status, 404, "one claim");
  assert.deepEqual((await open("collect", { code, secret })).body, { state: "waiting" });
  const seen = (await server.api("GET", `/api/v1/pairing/${code}`)).body as { expiresAtMs: number };
  assert.deepEqual(seen, {
    ...{ state: "claimed", name: "phone", check, keyId: key.keyId, expiresAtMs: seen.expiresAtMs },
  });
  assert.equal((await server.api("POST", "/api/v1/pairing/confirm", { code, check })).status, 200);
  assert.equal((await open("collect", { code, secret: "somebody-elses-secret" })).status, 404);
  const paired = (await open("collect", { code, secret })).body as { state: string; token: string; keyId: string };
  assert.deepEqual([paired.state, paired.keyId], ["paired", key.keyId]);
  assert.equal((await open("collect", { code, secret })).status, 404, "collected once");

  const { card, outcome } = await ask(server);
  const answer = await signed(card, key);
  const path = `/api/v1/approvals/${card.approvalId}/decision`;
  assert.equal((await server.api("POST", path, answer, paired.token)).status, 200);
  assert.equal(((await outcome).body as { by: string }).by, "person");
});

test("pairing: a wrong number voids the code, and only an approver can make or confirm one", async (t) => {
  const server = await openServer(t);
  const { publicKey } = await generateDeviceKey();
  const { code } = (await server.api("POST", "/api/v1/pairing", {})).body as { code: string };
  const claim = { code, name: "phone", publicKey, secret: "a-secret-of-the-new-device" };
  const { check } = (await server.api("POST", "/api/v1/pairing/claim", claim, "none")).body as { check: string };
  const { token } = await server.makeToken("observer");
  assert.equal((await server.api("POST", "/api/v1/pairing", {}, token)).status, 403);
  assert.equal((await server.api("POST", "/api/v1/pairing/confirm", { code, check }, token)).status, 403);
  const other = check === "000000" ? "000001" : "000000";
  assert.equal((await server.api("POST", "/api/v1/pairing/confirm", { code, check: other })).status, 403);
  assert.equal((await server.api("POST", "/api/v1/pairing/confirm", { code, check })).status, 404);
});

test("pairing: whoever waits hears at once of a claim, a refusal and a confirmation", async (t) => {
  const server = await openServer(t);
  const { publicKey } = await generateDeviceKey();
  const secret = "a-secret-of-the-new-device";
  const open = async (path: string, body: object) =>
    (await server.api("POST", `/api/v1/pairing/${path}`, body, "none")).body as Record<string, string>;
  for (const ending of ["refused", "paired"] as const) {
    const { code } = (await server.api("POST", "/api/v1/pairing", {})).body as { code: string };
    const claimed = server.api("GET", `/api/v1/pairing/${code}?waitMs=25000`);
    const { check } = await open("claim", { code, name: "phone", publicKey, secret });
    assert.deepEqual(((await claimed).body as Record<string, string>).check, check);
    const collected = open("collect", { code, secret, waitMs: 25_000 });
    if (ending === "refused") assert.equal((await server.api("DELETE", `/api/v1/pairing/${code}`)).status, 200);
    else await server.api("POST", "/api/v1/pairing/confirm", { code, check });
    assert.equal((await collected).state, ending);
    assert.equal((await server.api("DELETE", `/api/v1/pairing/${code}`)).status, 404, "neither is refused afterwards");
  }
  const devices = (await server.api("GET", "/api/v1/devices")).body as unknown[];
  assert.equal(devices.length, 1, "a refusal lets nobody in");
});

test("when a token was last used, and whether somebody is there with it", async (t) => {
  const server = await openServer(t);
  const { id, token } = await server.makeToken("observer");
  const seen = async () => {
    const all = (await server.api("GET", "/api/v1/tokens")).body as {
      id: string;
      lastSeenAtMs: number | null;
      connected: boolean;
    }[];
    return all.find((view) => view.id === id);
  };
  assert.equal((await seen())?.lastSeenAtMs, null);
  const before = Date.now();
  await server.api("GET", "/api/v1/state", undefined, token);
  assert.ok(Number((await seen())?.lastSeenAtMs) >= before);
  assert.equal((await seen())?.connected, false);
  const client = await Client.open(`${server.url}/`);
  client.send({ type: "auth", token });
  await client.next(({ type }) => type === "auth");
  assert.equal((await seen())?.connected, true);
  client.socket.close();
  await client.closed;
  while ((await seen())?.connected) await setImmediate();
});

test("a profile can ask for a device's signature before something dangerous runs", async (t) => {
  const server = await openServer(t);
  mkdirSync(join(server.home.profiles, "default"), { recursive: true });
  writeFileSync(join(server.home.profiles, "default", "config.json"), '{"execApproval":{"assurance":"device"}}');
  const key = await enrolled(server);
  const { card, outcome } = await ask(server, "rm -rf build");
  const path = `/api/v1/approvals/${card.approvalId}/decision`;
  assert.equal((await server.api("POST", path, { decision: "allow-once" })).status, 403);
  assert.equal((await server.api("POST", path, await signed(card, key))).status, 200);
  assert.equal(((await outcome).body as { kind: string }).kind, "exited");
  const harmless = await ask(server, "touch made");
  const plain = { decision: "allow-once" };
  assert.equal((await server.api("POST", `/api/v1/approvals/${harmless.card.approvalId}/decision`, plain)).status, 200);
});

test("and before it is previewed: its code runs there, too", async (t) => {
  const server = await openServer(t);
  const problem = (await server.hub.state()).warnings.find((text) => text.includes("without a jail"));
  if (problem !== undefined) return t.skip(problem);
  mkdirSync(join(server.home.profiles, "default"), { recursive: true });
  writeFileSync(join(server.home.profiles, "default", "config.json"), '{"execApproval":{"assurance":"device"}}');
  const key = await enrolled(server);
  const { card, outcome } = await ask(server, "rm -rf build");
  const at = (what: string) => `/api/v1/approvals/${card.approvalId}/${what}`;
  const sign = async (decision: "preview" | "allow-once", nonce = makeNonce()) => {
    const { approvalId, proposalHash } = card;
    const signature = await signDecision({ approvalId, proposalHash, decision, nonce }, key.privateKey);
    return { nonce, keyId: key.keyId, signature };
  };
  assert.equal((await server.api("POST", at("preview"))).status, 403);
  assert.equal((await server.api("POST", at("preview"), await sign("allow-once"))).status, 403);
  assert.equal((await server.readLedger()).filter(({ type }) => type === "preview-decided").length, 0);
  const wish = await sign("preview");
  assert.equal((await server.api("POST", at("preview"), wish)).status, 200);
  assert.equal((await server.api("POST", at("preview"), wish)).status, 403, "its nonce is used up");
  assert.equal((await server.api("POST", at("preview"), { ...wish, signature: undefined })).status, 400);
  const taken = { decision: "allow-once", ...(await sign("preview")) };
  assert.equal((await server.api("POST", at("decision"), taken)).status, 403, "a preview's signature allows nothing");
  const decided = (await server.readLedger()).filter(({ type }) => type === "preview-decided");
  assert.deepEqual(
    decided.map(({ body: { assurance, device, keyId } }) => ({ assurance, device, keyId })),
    [{ assurance: "device", device: "laptop", keyId: key.keyId }],
  );
  assert.equal((await server.api("POST", at("decision"), { decision: "deny" })).status, 200);
  await outcome;
  const harmless = await ask(server, "touch made");
  const path = `/api/v1/approvals/${harmless.card.approvalId}`;
  assert.equal((await server.api("POST", `${path}/preview`)).status, 200);
  await server.api("POST", `${path}/decision`, { decision: "deny" });
  await harmless.outcome;
});

test("a widening edit under such a profile wants the signature too, and its nonce is used up", async (t) => {
  const server = await openServer(t);
  const file = join(server.home.profiles, "default", "config.json");
  mkdirSync(join(server.home.profiles, "default"), { recursive: true });
  writeFileSync(file, '{"execApproval":{"assurance":"device"}}');
  const key = await enrolled(server);
  await server.api("POST", "/api/v1/exec", { command: "ls", cwd: server.workspace });
  writeFileSync(file, '{"execApproval":{"security":"full"}}');
  await server.api("POST", "/api/v1/exec", { command: "ls", cwd: server.workspace });
  const [card] = (await server.api("GET", "/api/v1/approvals")).body as Card[];
  assert.ok(card);
  const path = `/api/v1/approvals/${card.approvalId}/decision`;
  assert.equal((await server.api("POST", path, { decision: "allow-once" })).status, 403);
  const answer = await signed(card, key);
  assert.equal((await server.api("POST", path, answer)).status, 200);
  const changed = (await server.readLedger()).findLast((entry) => entry.type === "policy-changed");
  assert.equal(changed?.body.assurance, "device");
  // The floor asks also under `full`.
  const next = await ask(server, `cat ${server.home.dir}/config.json`);
  const { approvalId, proposalHash } = next.card;
  const signature = await signDecision(
    { approvalId, proposalHash, decision: "deny", nonce: answer.nonce },
    key.privateKey,
  );
  const reused = { decision: "deny", nonce: answer.nonce, keyId: key.keyId, signature };
  assert.equal((await server.api("POST", `/api/v1/approvals/${approvalId}/decision`, reused)).status, 403);
});
