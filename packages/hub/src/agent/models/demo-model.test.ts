import assert from "node:assert/strict";
import { test } from "node:test";
import { demoModel } from "./demo-model.ts";
import type { ModelPart, PromptEntry } from "./model.ts";

const bash = { name: "bash", description: "", inputSchema: {} };

async function answer(entries: PromptEntry[], tools = [bash]): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  const { signal } = new AbortController();
  for await (const part of demoModel.stream({ system: "", entries, tools, signal })) parts.push(part);
  assert.equal(parts.at(-1)?.kind, "end");
  return parts.slice(0, -1);
}

const commands = (parts: readonly ModelPart[]) =>
  parts.map((part) =>
    part.kind === "call" ? (JSON.parse(part.call.input) as { command: string }).command : part.kind,
  );
const texts = (parts: readonly ModelPart[]) =>
  parts.map((part) => (part.kind === "text" ? part.text : part.kind)).join("");

test("demoModel proposes the command as it is written", async () => {
  const table: [string, string[]][] = [
    ["Please run: echo hello world", ["echo hello world"]],
    ["Run: ls", ["ls"]],
    ["please  run:ls -la  ", ["ls -la"]],
    ["RUN: cat <<E\na\nE", ["cat <<E\na\nE"]],
    ["First this.\nRun: one\nRun: two", ["one", "two"]],
  ];
  for (const [text, wanted] of table) assert.deepEqual(commands(await answer([{ role: "user", text }])), wanted, text);
});

test("demoModel explains itself when there is no command or no tool", async () => {
  for (const text of ["hello", "Run:", "I run: fast", "Don't rerun: this"]) {
    assert.match(texts(await answer([{ role: "user", text }])), /^I am the demo model/, text);
  }
  assert.match(texts(await answer([{ role: "user", text: "Run: ls" }], [])), /no tool/);
});

test("demoModel repeats output and acknowledges a denial", async () => {
  const call = { callId: "c", tool: "bash", input: {} };
  const after = (text: string): PromptEntry[] => [
    { role: "user", text: "Run: x" },
    { role: "assistant", text: "", calls: [call] },
    { role: "tool", callId: "c", tool: "bash", text },
  ];
  assert.equal(texts(await answer(after("a\nb"))), "a\nb");
  assert.match(
    texts(await answer(after("Denied by ann: no. Propose something else."))),
    /^Understood, .*Denied by ann: no/,
  );
});
