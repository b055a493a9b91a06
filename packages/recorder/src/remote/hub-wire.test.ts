import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHubSchema } from "./hub-wire.ts";

test("a draft comes over as it was told, whatever its members are called", () => {
  const said = `{"t":"append","id":1,"drafts":[{"key":"01928f3a-7c1e-7000-8000-3f9c2a1b0d4e","draft":{"type":"decided",
    "sessionId":null,"proposalKey":null,"atMs":1,"body":{"__proto__":"x","constructor":{"__proto__":1}}}}]}`;
  assert.equal(JSON.stringify(fromHubSchema.parse(JSON.parse(said))), JSON.stringify(JSON.parse(said)));
  for (const body of ["[]", "null", '"x"', "1"]) {
    const message: unknown = JSON.parse(`{"t":"rotate","id":1,"body":${body}}`);
    assert.equal(fromHubSchema.safeParse(message).success, false, body);
  }
});
