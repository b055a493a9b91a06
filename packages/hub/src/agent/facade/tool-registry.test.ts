import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { CONFIG, openTools } from "../../../test/support/open-tools.ts";
import { ReadFileTool } from "../files/read-file-tool.ts";
import type { Tool } from "../tools/tool.ts";
import { hubTools } from "./hub-tools.ts";
import { ToolRegistry } from "./tool-registry.ts";

function foreign(change: Partial<Tool> = {}): Tool {
  return {
    name: "weather",
    description: "Tells the weather",
    inputSchema: z.object({}),
    requiresApproval: true,
    toDefinition: () => ({ name: "weather", description: "Tells the weather", inputSchema: {} }),
    execute: async () => ({ output: "" }),
    ...change,
  };
}

test("ToolRegistry lists its definitions in order of registration", async (t) => {
  const { approvals } = await openTools(t);
  const registry = new ToolRegistry();
  for (const tool of hubTools(approvals, CONFIG)) registry.register(tool);
  const names = ["bash", "read_file", "write_file", "edit_file", "list_dir"];
  assert.deepEqual(
    registry.all().map(({ name }) => name),
    names,
  );
  assert.deepEqual(
    registry.toDefinitions().map(({ name, inputSchema }) => [name, inputSchema.type, inputSchema.required]),
    [
      ["bash", "object", ["command"]],
      ["read_file", "object", ["path"]],
      ["write_file", "object", ["path", "content"]],
      ["edit_file", "object", ["path", "oldText", "newText"]],
      ["list_dir", "object", undefined],
    ],
  );
  assert.equal(registry.get("bash"), registry.all()[0]);
  for (const name of ["nothing", "__proto__", "constructor"]) assert.equal(registry.get(name), undefined);
});

test("ToolRegistry refuses invalid and repeated names", () => {
  const registry = new ToolRegistry();
  registry.register(foreign());
  assert.throws(() => registry.register(foreign()), { code: "DUPLICATE_TOOL" });
  for (const name of ["", "a b", "a\n", "x".repeat(65), "ü"]) {
    assert.throws(() => registry.register(foreign({ name })), { code: "INVALID_INPUT" }, name);
  }
  assert.equal(registry.all().length, 1);
});

test("ToolRegistry requires approval for all tools but our own readers", async (t) => {
  const { approvals } = await openTools(t);
  const registry = new ToolRegistry();
  class Mine extends ReadFileTool {
    override async execute() {
      return { output: "anything" };
    }
  }
  const replaced = Object.assign(new ReadFileTool(approvals, CONFIG), { execute: async () => ({ output: "" }) });
  const [bash] = hubTools(approvals, CONFIG);
  const table: [string, Tool][] = [
    ["a tool from elsewhere", foreign({ requiresApproval: false })],
    ["one that says nothing", foreign({ requiresApproval: undefined as unknown as boolean })],
    ["a subclass of a reader", new Mine(approvals, CONFIG)],
    ["a reader with another execute", replaced],
    ["one of ours with effects", Object.assign(bash as object, { requiresApproval: false }) as Tool],
  ];
  for (const [name, tool] of table) assert.throws(() => registry.register(tool), { code: "NEEDS_APPROVAL" }, name);
  assert.deepEqual(registry.all(), []);
});
