import assert from "node:assert/strict";
import { test } from "node:test";
import { AGENTS } from "@countersign/protocol/access";
import { builtInFor, defaultProfile, isBuiltIn } from "./built-in-profiles.ts";

test("an agent with a hook has a profile whose deadline is the hook's; anybody else has the default one", () => {
  for (const { name, deadlineMs } of Object.values(AGENTS)) {
    assert.equal(builtInFor(name), name);
    assert(isBuiltIn(name));
    assert.deepEqual(defaultProfile(name), { ...defaultProfile("default"), timeoutMs: deadlineMs });
  }
  for (const name of ["local", "assistant", "toString", ""]) assert.equal(builtInFor(name), "default");
  assert.equal(isBuiltIn("toString"), false);
});

test("the hook answers before its agent gives up", () => {
  for (const { hook, deadlineMs } of Object.values(AGENTS)) {
    if (hook.kind === "plugin") continue;
    const timeoutMs = hook.timeoutUnit === "s" ? hook.timeout * 1000 : hook.timeout;
    assert(deadlineMs + 30_000 <= timeoutMs);
  }
});
