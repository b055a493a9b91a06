import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Editor } from "../../packages/cli/test/acp-editor.ts";
import { AgentRoom } from "./agent-room.ts";
import { gemini } from "./gemini.ts";
import { answerCards } from "./person.ts";

const BIN = fileURLToPath(new URL("../../packages/cli/bin/countersign.js", import.meta.url));

test("Gemini CLI in an editor: what it asks is answered by us, never by the editor's prompt", async (t) => {
  const room = await AgentRoom.open(t, { ...gemini, args: () => ["--acp", "-m", "gemini-2.5-flash"] });
  if (room === undefined) return;
  await room.serve();
  const shell = (command: string) => ({ tool: "run_shell_command", input: { command } });
  const { program, args, env } = room.started([shell("touch approved.txt"), shell("touch denied.txt")]);
  const relay = spawn(process.execPath, [BIN, "acp", "--home", room.place.home, "--", program, ...args], {
    cwd: room.workspace,
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const cards = answerCards(room.place, [
    { when: "approved", answer: "approve" },
    { when: "denied", answer: { deny: "not today" } },
  ]);
  try {
    const editor = await Editor.open(relay, room.workspace);
    await editor.prompt([]);
    assert.deepEqual(editor.asked, []);
    assert.deepEqual(
      ["approved.txt", "denied.txt"].map((name) => room.file(name)),
      ["", undefined],
    );
  } finally {
    await cards.stop();
    const ended = once(relay, "exit");
    relay.stdin.end();
    await ended;
  }
});
