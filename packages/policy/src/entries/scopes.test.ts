import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MAX_SCOPE_MINUTES, readScope, type Scope, writeScope } from "./scopes.ts";

const match: fc.Arbitrary<Scope["match"]> = fc.oneof(
  fc.constantFrom({ kind: "exact" } as const, { kind: "program" } as const, { kind: "effects" } as const),
  fc
    .string({ minLength: 1 })
    .filter((pattern) => pattern === pattern.trim() && pattern !== "")
    .map((pattern) => ({ kind: "pattern", pattern }) as const),
);
const extent: fc.Arbitrary<Scope["extent"]> = fc.oneof(
  fc.constantFrom("session", "directory", "repository", "forever").map((kind) => ({ kind }) as const),
  fc.integer({ min: 1, max: MAX_SCOPE_MINUTES }).map((minutes) => ({ kind: "minutes", minutes }) as const),
);

test("a scope is read as it was written, whatever its pattern holds", () => {
  fc.assert(
    fc.property(match, extent, (what, far) => {
      const scope = { match: what, extent: far };
      assert.deepEqual(readScope(writeScope(scope)), scope);
    }),
  );
  assert.deepEqual(readScope("pattern:npm i @types/node@session"), {
    match: { kind: "pattern", pattern: "npm i @types/node" },
    extent: { kind: "session" },
  });
});

test("what is read was written that way: there are no two texts for one scope, and no text for two", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const scope = readScope(text);
      if (scope) assert.equal(writeScope(scope), text);
    }),
  );
});

test("anything else is refused", () => {
  const texts = [
    "",
    "@",
    "exact",
    "exact@",
    "@session",
    "exact@Session",
    "Exact@session",
    "exact @session",
    "exact@session ",
    "exact@session@session",
    "exact@0m",
    "exact@01m",
    "exact@43201m",
    "exact@99999999m",
    "exact@-1m",
    "exact@1.5m",
    "exact@1e3m",
    "exact@5",
    "exact@5h",
    "program:x@session",
    "pattern@session",
    "pattern:@session",
    "pattern: npm@session",
    "pattern:npm @session",
    "effects@everywhere",
    "constructor@session",
    "exact@constructor",
  ];
  for (const text of texts) assert.equal(readScope(text), undefined, text);
});
