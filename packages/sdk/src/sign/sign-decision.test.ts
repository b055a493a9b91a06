import assert from "node:assert/strict";
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { test } from "node:test";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { GatewayError } from "../errors/gateway-error.ts";
import { generateDeviceKey, importDeviceKey, keyIdOf } from "./device-key.ts";
import { type DecisionToSign, decisionToSign, makeNonce, signDecision, verifyDecision } from "./sign-decision.ts";

/** RFC 8032 section 7.1, test 1: the key. */
const SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const PUBLIC = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
/** RFC 8410: the fixed head of a PKCS #8 that holds 32 bytes of Ed25519. */
const PKCS8 = new Uint8Array(Buffer.from(`302e020100300506032b657004220420${SEED}`, "hex"));
const RAW = new Uint8Array(Buffer.from(PUBLIC, "hex"));

const DECISION: DecisionToSign = {
  approvalId: "019444a0-1234-7abc-8000-abcdef123456",
  proposalHash: "sha256:0f",
  decision: "allow-once",
  nonce: "AAAAAAAAAAAAAAAAAAAAAA",
};

const isRefusal = (error: unknown) => error instanceof GatewayError && error.code === "INVALID_PARAMS";

test("the bytes are RFC 8785 of the fields that are present", () => {
  assert.equal(
    new TextDecoder().decode(decisionToSign({ ...DECISION, scope: "session", jail: "read-only" })),
    '{"approvalId":"019444a0-1234-7abc-8000-abcdef123456","decision":"allow-once","jail":"read-only",' +
      '"nonce":"AAAAAAAAAAAAAAAAAAAAAA","proposalHash":"sha256:0f","scope":"session"}',
  );
  const text = fc.string({ unit: "grapheme" });
  const fields = fc.record(
    {
      approvalId: text,
      proposalHash: text,
      nonce: text,
      scope: text,
      jail: text,
      decision: fc.constant("deny" as const),
    },
    { requiredKeys: ["approvalId", "proposalHash", "nonce", "decision"] },
  );
  fc.assert(
    fc.property(fields, (decision) => {
      const given = { ...decision, reason: "not signed" };
      assert.equal(new TextDecoder().decode(decisionToSign(given)), canonicalize(decision));
    }),
  );
});

test("a signature is the one that node:crypto makes, and each verifies the other's", async () => {
  const key = await importDeviceKey(PKCS8);
  assert.deepEqual(
    [key.publicKey, key.keyId],
    [Buffer.from(RAW).toString("base64url"), createHash("sha256").update(RAW).digest("base64url")],
  );
  const nodeKey = createPrivateKey({ key: Buffer.from(PKCS8), format: "der", type: "pkcs8" });
  const expected = sign(null, decisionToSign(DECISION), nodeKey).toString("base64url");
  assert.equal(await signDecision(DECISION, key.privateKey), expected);
  assert.equal(expected, "7K5_-6YpiP-XsKq2sKphZo7nhpwFXKWQd6TpF6XspnnEzXpLb3f_of8TdT1sgfWO65kTdvlqLQEZfndL_HIlBA");
  assert.ok(verify(null, decisionToSign(DECISION), createPublicKey(nodeKey), Buffer.from(expected, "base64url")));
  assert.ok(await verifyDecision(DECISION, RAW, expected));
  assert.ok(await verifyDecision(DECISION, key.publicKey, expected));
});

test("another field, key or signature doesn't verify", async () => {
  const key = await generateDeviceKey();
  const other = await generateDeviceKey();
  const signed: DecisionToSign = { ...DECISION, scope: "session", jail: "workspace", nonce: makeNonce() };
  const signature = await signDecision(signed, key.privateKey);
  assert.ok(await verifyDecision(signed, key.publicKey, signature));
  assert.equal(await verifyDecision(signed, other.publicKey, signature), false);
  const changes = { approvalId: "b", proposalHash: "b", decision: "deny", scope: undefined, jail: "open", nonce: "b" };
  for (const [name, value] of Object.entries(changes))
    assert.equal(await verifyDecision({ ...signed, [name]: value }, key.publicKey, signature), false, name);
  // The last of the 86 characters has spare bits; with one of them set it would decode to the same bytes.
  const spare = String.fromCharCode(signature.charCodeAt(85) + 1);
  const forged = [
    "",
    "A",
    signature.slice(1),
    `${signature}==`,
    `${signature}\n`,
    `${signature.slice(0, -1)}+`,
    "A".repeat(86),
  ];
  for (const bad of [...forged, signature.slice(0, -1) + spare])
    assert.equal(await verifyDecision(signed, key.publicKey, bad), false, bad);
});

test("keys aren't extractable unless asked, and bad ones are refused", async () => {
  const key = await generateDeviceKey();
  assert.equal(key.privateKey.extractable, false);
  await assert.rejects(crypto.subtle.exportKey("pkcs8", key.privateKey));
  const kept = await generateDeviceKey({ extractable: true });
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", kept.privateKey));
  const again = await importDeviceKey(pkcs8);
  assert.deepEqual([again.publicKey, again.keyId], [kept.publicKey, kept.keyId]);
  assert.equal(again.privateKey.extractable, false);

  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "der", type: "pkcs8" });
  for (const bad of [new Uint8Array(), new Uint8Array(48), new Uint8Array(rsa)])
    await assert.rejects(importDeviceKey(bad), isRefusal);
  for (const bad of [new Uint8Array(31), "AAAA", "not base64url!"]) {
    await assert.rejects(keyIdOf(bad), isRefusal);
    await assert.rejects(verifyDecision(DECISION, bad, "A".repeat(86)), isRefusal);
  }
});

test("what has no canonical form isn't signed", () => {
  for (const bad of [{ nonce: "\ud800" }, { approvalId: undefined }, { proposalHash: 7 }, { scope: null }])
    assert.throws(() => decisionToSign({ ...DECISION, ...(bad as object) }), isRefusal);
});
