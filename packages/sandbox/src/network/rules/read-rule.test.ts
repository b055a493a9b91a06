import assert from "node:assert/strict";
import { test } from "node:test";
import { readPolicy } from "./policy.ts";
import { readRule, toRange } from "./read-rule.ts";
import { sandboxRules } from "./ruleset.ts";

test("each form of a rule", () => {
  const any = { port: undefined, protocol: undefined };
  assert.deepEqual(readRule("10.0.0.0/8:443"), {
    kind: "range",
    family: 4,
    cidr: "10.0.0.0/8",
    port: 443,
    protocol: undefined,
  });
  assert.deepEqual(readRule("10.0.0.1"), { kind: "range", family: 4, cidr: "10.0.0.1/32", ...any });
  assert.deepEqual(readRule("[FD00::]/8:53/udp"), {
    kind: "range",
    family: 6,
    cidr: "fd00::/8",
    port: 53,
    protocol: "udp",
  });
  assert.deepEqual(readRule("any:443/tcp"), { kind: "any", port: 443, protocol: "tcp" });
  assert.deepEqual(readRule("host:44780"), { kind: "host", port: 44_780, protocol: undefined });
  assert.deepEqual(readRule("name:*.Example.org:443"), {
    kind: "name",
    name: "*.example.org",
    port: 443,
    protocol: undefined,
  });
  assert.deepEqual(toRange("fd00::1/64"), { family: 6, cidr: "fd00::1/64" });
});

test("what isn't one is refused, and nothing of it can get into the rules", () => {
  const bad = [
    "",
    "example.org:443",
    "10.0.0.0/33",
    "10.0.0.0/8:0",
    "10.0.0.0/8:65536",
    "2001:db8::1:443",
    "10.0.0.1; flush ruleset",
  ];
  const worse = [
    "name:",
    "name:a b",
    "name:*.*.org",
    "name:-a.org",
    "any:443/sctp",
    "any }\nflush ruleset",
    "[::1",
    "10.0.0.1/8/tcp/udp",
  ];
  for (const text of [...bad, ...worse]) assert.throws(() => readRule(text), { code: "BAD_RULE" }, text);
});

test("the host is opened and never just allowed; only what is blocked by default can be opened", () => {
  assert.throws(() => readPolicy({ allow: ["host:53"] }), { code: "BAD_RULE" });
  for (const open of ["any", "name:example.org"])
    assert.throws(() => readPolicy({ open: [open] }), { code: "BAD_RULE" });
  assert.throws(() => readPolicy({ allow: Array(257).fill("10.0.0.1") }), { code: "TOO_MANY" });
});

test("the floor stands before what is allowed, and behind what is opened", () => {
  const policy = readPolicy({ allow: ["any:80"], open: ["169.254.169.254:80"] });
  const rules = sandboxRules({ number: 5, before: [], sources: [{ kind: "interface", index: 9 }], policy }, 7);
  const forward = rules.split("\n").filter((rule) => rule.startsWith("add rule inet countersign_egress forward_5"));
  const last = forward.map((rule) => rule.replace("add rule inet countersign_egress forward_5 ", ""));
  assert.match(last[0] ?? "", /169\.254\.169\.254.*pass_5/);
  assert.match(last[1] ?? "", /169\.254\.0\.0\/16.*refuse_5/);
  assert.match(last[2] ?? "", /fe80::\/10.*refuse_5/);
  assert.match(last[3] ?? "", /th dport 80 goto pass_5/);
  assert.equal(last[4], "goto refuse_5");
});
