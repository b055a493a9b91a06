import assert from "node:assert/strict";
import { test } from "node:test";
import { isMethodName, METHODS } from "./methods.ts";

test("names of Object.prototype aren't methods", () => {
  for (const name of ["constructor", "__proto__", "toString", "", "resolveexecapproval"])
    assert.equal(isMethodName(name), false, name);
  assert.ok(Object.keys(METHODS).every(isMethodName));
});

test("a decision is plain or wholly signed, and carries nothing else", () => {
  const { params } = METHODS.resolveExecApproval;
  const plain = { approvalId: "a", decision: "deny" };
  const signed = { ...plain, reason: "r", nonce: "n", keyId: "k", signature: "s" };
  for (const good of [plain, signed]) assert.deepEqual(params.parse(good), good);
  const bad = [
    {},
    { decision: "deny" },
    { approvalId: 7, decision: "deny" },
    { approvalId: "a", decision: "yes" },
    { ...plain, signature: "s" },
    { ...plain, keyId: "k", signature: "s" },
    { ...signed, nonce: "" },
    { ...plain, command: "edited" },
    { ...plain, scope: "session" },
    null,
    [],
  ];
  for (const value of bad) assert.equal(params.safeParse(value).success, false, JSON.stringify(value));
});
