import assert from "node:assert/strict";
import { test } from "node:test";
import { portsOf } from "./ports.ts";

test("the proxy's own port isn't execd's, also where that is execd's usual one", () => {
  assert.deepEqual(portsOf(44773, 44772), { execd: [44773], own: 44772 });
  assert.deepEqual(portsOf(44773, 44771), { execd: [44773, 44772], own: 44771 });
  assert.deepEqual(portsOf(44772, 44771), { execd: [44772], own: 44771 });
  assert.deepEqual(portsOf(44772, 44772), { execd: [44772] });
});
