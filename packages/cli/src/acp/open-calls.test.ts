import assert from "node:assert/strict";
import { test } from "node:test";
import { OpenCalls } from "./open-calls.ts";

test("a permission is for exactly its words, in its place, without an environment, once", () => {
  const taken = (params: Record<string, unknown>, command: unknown = "ls") => {
    const open = new OpenCalls();
    open.add({ sessionId: "s", callId: "c", asked: { command, cwd: "/w" } });
    const first = open.takeFor("s", params, "/w");
    assert.equal(open.takeFor("s", params, "/w"), undefined);
    return first !== undefined;
  };
  assert.ok(taken({ command: "ls" }));
  assert.ok(taken({ command: "ls", args: [], env: [], cwd: "/w" }));
  assert.ok(taken({ command: "ls", args: ["-l"] }, ["ls", "-l"]));
  for (const other of [
    { command: "ls", args: "-l" },
    { command: "ls", args: { 0: "-l", length: 1 } },
    { command: "ls", env: { LD_PRELOAD: "/x" } },
    { command: "ls", env: [{ name: "A", value: "b" }] },
    { command: "ls", cwd: "/" },
    { command: "rm" },
  ])
    assert.ok(!taken(other), JSON.stringify(other));
});
