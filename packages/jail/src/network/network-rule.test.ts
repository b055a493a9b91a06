import assert from "node:assert/strict";
import { test } from "node:test";
import { type Host, readHost } from "@countersign/core/network";
import { namesHost } from "./network-rule.ts";

test("namesHost takes exact names, and with a star any name below one", () => {
  const cases: [string, string, boolean][] = [
    ["x.example", "x.example", true],
    ["x.example", "X.Example.", true],
    ["x.example", "a.x.example", false],
    ["*.x.example", "a.x.example", true],
    ["*.x.example", "a.b.x.example", true],
    ["*.x.example", "x.example", false],
    ["*.x.example", "evilx.example", false],
    ["*.x.example", "x.example.evil", false],
    ["*.0.0.1", "127.0.0.1", false],
    ["*", "x.example", false],
    ["*.", "x.example", false],
    ["x.*", "x.example", false],
    ["10.0.0.1", "10.0.0.1", true],
  ];
  for (const [named, asked, expected] of cases) {
    const found = namesHost({ hosts: [named], privateToo: false }, readHost(asked) as Host);
    assert.equal(found, expected, `${named} ${asked}`);
  }
  assert.equal(namesHost({ hosts: [], privateToo: false }, readHost("x.example") as Host), false);
});
