import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { generateSigningKey, nodeCrypto, pooledNodeCrypto, signerFromPem } from "./node-crypto.ts";
import { publicKeyFromPem } from "./pem.ts";
import { sha256 } from "./sha256.ts";
import { webCrypto, webSigner } from "./web-crypto.ts";

const adapters = { node: nodeCrypto(), pooled: pooledNodeCrypto(), web: webCrypto() };

test("our SHA-256 is Node's, for every length around a block and any bytes", () => {
  const check = (bytes: Uint8Array) => {
    const expected = new Uint8Array(createHash("sha256").update(bytes).digest());
    assert.deepEqual(sha256(bytes), expected);
    for (const crypto of Object.values(adapters)) {
      assert.deepEqual(Uint8Array.from(crypto.sha256(bytes)), expected);
      assert.equal(crypto.sha256Hex(bytes), Buffer.from(expected).toString("hex"));
    }
  };
  for (let length = 0; length < 200; length += 1) check(new Uint8Array(length).fill(length));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 3_000 }), check));
});

for (const [name, crypto] of Object.entries(adapters)) {
  test(`${name}: a signature holds for its key and its bytes, and for nothing else`, async () => {
    const { privatePem, publicPem } = generateSigningKey();
    const signer = signerFromPem(privatePem);
    assert.deepEqual(publicKeyFromPem(publicPem), signer.publicKey);
    const message = new TextEncoder().encode("run it");
    const signature = await signer.sign(message);
    const check = { publicKey: signer.publicKey, message, signature };
    assert.equal(await crypto.verify(check), true);
    const other = signerFromPem(generateSigningKey().privatePem).publicKey;
    // S + L: the same equation, another text; a check that took it would make signatures malleable (RFC 8032 8.4).
    for (const wrong of [
      { ...check, publicKey: other },
      { ...check, message: message.with(0, 1) },
      { ...check, signature: new Uint8Array(signature).with(3, 9) },
      { ...check, signature: plusOrder(new Uint8Array(signature)) },
      { ...check, signature: signature.subarray(0, 63) },
      { ...check, publicKey: other.subarray(0, 31) },
      { ...check, publicKey: new Uint8Array(32).fill(0xff) },
      { ...check, signature: new Uint8Array(0) },
    ]) {
      assert.equal(await crypto.verify(wrong), false);
    }
  });
}

function plusOrder(signature: Uint8Array): Uint8Array {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const scalar = signature.subarray(32).reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n) + order;
  return Uint8Array.from(signature, (byte, at) => (at < 32 ? byte : Number((scalar >> BigInt(8 * (at - 32))) & 255n)));
}

test("a key of SubtleCrypto signs what the others verify", async () => {
  const pair = await globalThis.crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
  const signer = await webSigner(pair as KeyPair);
  const message = new Uint8Array(100).fill(7);
  const check = { publicKey: signer.publicKey, message, signature: await signer.sign(message) };
  for (const crypto of Object.values(adapters)) assert.equal(await crypto.verify(check), true);
});

test("a private key of another kind is refused", () => {
  assert.throws(() => signerFromPem("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"));
});

type KeyPair = Parameters<typeof webSigner>[0];
