import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { makeSalt, saltedHash, saltedProposalHash } from "./salted-hash.ts";

test("the same text under two salts has two hashes, and each can be recomputed with its own", () => {
  const [one, other] = [makeSalt(), makeSalt()];
  assert.notEqual(saltedHash("ls", one), saltedHash("ls", other));
  const expected = createHmac("sha256", Buffer.from(one, "base64url")).update("ls").digest("hex");
  assert.equal(saltedHash("ls", one), `hmac-sha256:${expected}`);
  assert.equal(Buffer.from(one, "base64url").length, 16);
});

test("without a salt it says so: the hash is the bare one", () => {
  assert.match(saltedHash("ls", undefined), /^sha256:[0-9a-f]{64}$/);
  assert.equal(saltedProposalHash("sha256:00", undefined), "sha256:00");
});
