import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { generateDeviceKey } from "@countersign/sdk";
import { openServer, type TestServer } from "../support/open-server.ts";
import { enrolKey, signedOver } from "../support/sign-change.ts";

const BOB = { name: "bob", role: "approver", unattended: false } as const;
const SECRET = "a-secret-of-the-new-device";

/** A device that has claimed a code, and what the approver sees of it. */
async function claimed({ api }: TestServer, name = "phone") {
  const { publicKey, keyId } = await generateDeviceKey();
  const { code } = (await api("POST", "/api/v1/pairing", {})).body as { code: string };
  const claim = { code, name, publicKey, secret: SECRET };
  const { check } = (await api("POST", "/api/v1/pairing/claim", claim, "none")).body as { check: string };
  return { code, check, keyId, name };
}

async function made({ readLedger }: TestServer) {
  const entries = (await readLedger()).filter(({ type }) => type === "token-created");
  return entries.map(({ body: { token: _, ...said } }) => said);
}

test("where a token's device signs, the token alone makes no other, of whatever role", async (t) => {
  const server = await openServer(t);
  const key = await enrolKey(server);
  for (const role of ["approver", "agent", "observer", "hub"]) {
    const refused = await server.api("POST", "/api/v1/tokens", { role, name: "eve" });
    assert.equal(refused.status, 403, role);
    assert.match(JSON.stringify(refused.body), /takes a device's signature/);
  }
  const sign = (approvalId: string, content: object, by = key) => signedOver(approvalId, content, by);
  const good = await sign("token:approver", BOB);
  const wrong = [
    { ...BOB, name: "eve", ...good },
    { ...BOB, role: "agent", ...good },
    { ...BOB, unattended: true, ...good },
    { ...BOB, ...good, keyId: (await generateDeviceKey()).keyId },
    { ...BOB, ...(await sign("token:agent", BOB)) },
    { ...BOB, ...(await sign("token:approver", BOB, await generateDeviceKey())) },
  ];
  for (const body of wrong) assert.equal((await server.api("POST", "/api/v1/tokens", body)).status, 403);
  assert.equal((await server.api("POST", "/api/v1/tokens", { ...BOB, nonce: good.nonce })).status, 400, "half signed");
  assert.deepEqual(await made(server), []);

  const created = await server.api("POST", "/api/v1/tokens", { ...BOB, ...good });
  assert.equal(created.status, 200);
  const again = await server.api("POST", "/api/v1/tokens", { ...BOB, ...good });
  assert.equal(again.status, 403, "a signature makes one");
  const { keyId } = key;
  const facts = { person: (await made(server))[0]?.person, madeBy: "bootstrap", assurance: "device" };
  assert.deepEqual(await made(server), [{ name: "bob", role: "approver", ...facts, device: keyId, keyId }]);

  // The new one signs with nothing yet, and what it makes is told by its id.
  const { id, token } = created.body as { id: string; token: string };
  assert.equal((await server.api("POST", "/api/v1/tokens", { role: "agent", name: "codex" }, token)).status, 200);
  const listed = (await server.api("GET", "/api/v1/tokens")).body as { name: string; madeBy: string }[];
  assert.deepEqual(
    listed.map(({ name, madeBy }) => [name, madeBy]),
    [
      ["bob", "bootstrap"],
      ["codex", id],
    ],
  );
  assert.equal((await made(server))[1]?.assurance, "token");
});

test("nor does it let a device in, and a code that it tried waits for the device that may", async (t) => {
  const server = await openServer(t);
  const key = await enrolKey(server);
  const { code, check, ...claim } = await claimed(server);
  const confirm = (more: object = {}) => server.api("POST", "/api/v1/pairing/confirm", { code, check, ...more });
  const content = { check, code, ...claim };
  assert.equal((await confirm()).status, 403);
  const others = [{ keyId: key.keyId }, { name: "somebody" }, { check: "000000" }, { code: "another" }];
  for (const other of others) {
    const signature = await signedOver(`pairing:${code}`, { ...content, ...other }, key);
    assert.equal((await confirm(signature)).status, 403, JSON.stringify(other));
  }
  assert.deepEqual(await made(server), []);
  const seen = (await server.api("GET", `/api/v1/pairing/${code}`)).body as { state: string };
  assert.equal(seen.state, "claimed");
  assert.equal((await confirm(await signedOver(`pairing:${code}`, content, key))).status, 200);
  const collected = await server.api("POST", "/api/v1/pairing/collect", { code, secret: SECRET }, "none");
  assert.equal((collected.body as { state: string }).state, "paired");
  assert.deepEqual(
    (await made(server)).map(({ name, madeBy, assurance }) => ({ name, madeBy, assurance })),
    [{ name: "phone", madeBy: "bootstrap", assurance: "device" }],
  );
});

test("whoever started the hub lets in at its terminal, whatever signs elsewhere", async (t) => {
  const server = await openServer(t);
  await enrolKey(server);
  const { code, ...claimant } = await claimed(server);
  await server.pairing.confirm(code, claimant);
  assert.deepEqual(
    (await made(server)).map(({ name, assurance }) => ({ name, assurance })),
    [{ name: "phone", assurance: "terminal" }],
  );
});

test("a policy that takes only a device's word takes none else for a token either", async (t) => {
  const server = await openServer(t);
  mkdirSync(join(server.home.profiles, "careful"), { recursive: true });
  writeFileSync(join(server.home.profiles, "careful", "config.json"), '{"execApproval":{"assurance":"device"}}');
  const refused = await server.api("POST", "/api/v1/tokens", BOB);
  assert.equal(refused.status, 403);
  assert.match(JSON.stringify(refused.body), /policy takes only a device's signature/);
  const { code, check } = await claimed(server);
  assert.equal((await server.api("POST", "/api/v1/pairing/confirm", { code, check })).status, 403);
  const key = await enrolKey(server);
  const body = { ...BOB, ...(await signedOver("token:approver", BOB, key)) };
  assert.equal((await server.api("POST", "/api/v1/tokens", body)).status, 200);
});

/** A policy that takes only a device's word for what is dangerous. */
function requireDevice({ home }: TestServer): void {
  mkdirSync(join(home.profiles, "careful"), { recursive: true });
  writeFileSync(join(home.profiles, "careful", "config.json"), '{"execApproval":{"assurance":"device"}}');
}

/** The same question over the local socket, so many times at once. */
async function enrolThere({ home }: TestServer, params: object, times = 1) {
  const socket = connect(home.socket);
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  socket.write(`${JSON.stringify({ method: "enrolDevice", params })}\n`.repeat(times));
  const answers: { payload?: unknown; error?: { code: string } }[] = [];
  while (answers.length < times) answers.push(JSON.parse(String((await lines.next()).value)));
  socket.destroy();
  return answers;
}

async function wantedDevice(name: string) {
  const { publicKey, keyId } = await generateDeviceKey();
  return { wanted: { deviceId: keyId, name, publicKey }, keyId };
}

test("where the policy takes only a device's word, a token that nothing signs for brings in no key of its own", async (t) => {
  const server = await openServer(t);
  const bob = await server.makeToken("approver", "bob");
  const eve = await server.makeToken("approver", "eve");
  requireDevice(server);
  // The first device comes in as ever.
  const first = await wantedDevice("laptop");
  assert.equal((await server.api("POST", "/api/v1/devices", first.wanted, bob.token)).status, 200);
  assert.equal((await server.api("POST", "/api/v1/devices", first.wanted, bob.token)).status, 200, "it is known");
  const { wanted } = await wantedDevice("eve's");
  const refuse = async (token?: string) => {
    const { status, body } = await server.api("POST", "/api/v1/devices", wanted, token);
    assert.equal(status, 403);
    const { error } = body as { error: { code: string; message: string } };
    assert.equal(error.code, "UNAUTHORIZED");
    assert.match(error.message, /only a device's word, and another device signs here: pair this one/);
  };
  await refuse(eve.token);
  await refuse();
  // Any approver's token revokes another: that must not be a way round.
  assert.equal((await server.api("DELETE", `/api/v1/tokens/${bob.id}`, undefined, eve.token)).status, 200);
  await refuse(eve.token);
  const devices = (await server.api("GET", "/api/v1/devices")).body as { publicKey: string }[];
  assert.deepEqual(
    devices.map(({ publicKey }) => publicKey),
    [first.wanted.publicKey],
  );
});

test("by the local socket and at the terminal a device still comes in there", async (t) => {
  const server = await openServer(t);
  const bob = await server.makeToken("approver", "bob");
  const agent = await server.makeToken("agent", "codex");
  requireDevice(server);
  await enrolKey(server, bob.token);
  const { wanted, keyId } = await wantedDevice("terminal");
  const ask = async (token: string) => (await enrolThere(server, { ...wanted, token }))[0] ?? {};
  assert.equal((await enrolThere(server, wanted))[0]?.error?.code, "INVALID_PARAMS", "without a token");
  assert.equal((await ask(agent.token)).error?.code, "UNAUTHORIZED", "an agent's");
  assert.equal((await ask(bob.token)).error?.code, "UNAUTHORIZED", "another key signs for it");
  assert.deepEqual((await ask(server.token)).payload, { deviceId: wanted.deviceId, keyId });
  const { code, ...claimant } = await claimed(server);
  await server.pairing.confirm(code, claimant);
  assert.equal(((await server.api("GET", "/api/v1/devices")).body as unknown[]).length, 3);
  const codes = (await enrolThere(server, { ...wanted, token: "guessed" }, 30)).map(({ error }) => error?.code);
  assert.equal(codes[0], "UNAUTHORIZED");
  assert.ok(codes.includes("LIMIT"), "nobody guesses there");
});

test("where the policy asks for no device, each token brings in one", async (t) => {
  const server = await openServer(t);
  const bob = await server.makeToken("approver", "bob");
  await enrolKey(server);
  await enrolKey(server, bob.token);
});

test("of two keys that come for one token at once, one signs", async (t) => {
  const server = await openServer(t);
  const results = await Promise.allSettled([enrolKey(server), enrolKey(server), enrolKey(server)]);
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
});
