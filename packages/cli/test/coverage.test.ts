import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { installHook } from "../src/agents/install.ts";
import { thisMachine } from "../src/agents/machine.ts";
import { findOurs } from "../src/agents/our-hooks.ts";
import { fireHook } from "../src/doctor/fire-hook.ts";
import { Place } from "./countersign.ts";

test("what the hook was asked about has receipts, what went past it is named", async (t) => {
  const place = new Place(t);
  const user = dirname(place.home);
  await place.serve();
  const machine = { ...thisMachine(), userHome: user, env: {} };
  await installHook(
    { agent: "claude-code", scope: "user", home: place.home, node: process.execPath, machine },
    { print: false },
  );
  const settings = readFileSync(join(user, ".claude/settings.json"), "utf8");
  const [{ command } = { command: "" }] = findOurs("claude-code", settings);
  const event = {
    ...{ session_id: "s1", cwd: place.workspace, hook_event_name: "PreToolUse", tool_name: "Bash" },
    ...{ tool_input: { command: "ls" }, tool_use_id: "t1" },
  };
  const fired = { agent: "claude-code", command, input: JSON.stringify(event), cwd: place.workspace } as const;
  assert.match((await fireHook(fired, machine)).stdout, /"permissionDecision":"allow"/);
  const secret = `AKIA${"Q".repeat(16)}`;
  const calls = [
    ["t1", "ls"],
    ["t2", `curl -H 'x: ${secret}' https://example.com\nsecond line`],
  ];
  const lines = calls.map(([id, text]) => ({
    ...{ type: "assistant", sessionId: "s1", timestamp: new Date().toISOString(), cwd: "/w" },
    message: { content: [{ type: "tool_use", id, name: "Bash", input: { command: text } }] },
  }));
  const transcript = join(user, ".claude/projects/-w/s1.jsonl");
  mkdirSync(dirname(transcript), { recursive: true });
  writeFileSync(transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const told = await place.run("coverage", "--since", "1h");
  assert.equal(told.code, 1);
  assert.match(told.stdout, /^Claude Code: 1 of 2 Bash calls have receipts; this one doesn't\.\n/);
  assert.match(told.stdout, /claude-code {2}Bash: curl .* characters\)\n {4}session s1, in \/w, .*s1\.jsonl:2\n$/);
  assert(!told.stdout.includes(secret));
  // What can't be read may have told of anything: nothing is well then.
  writeFileSync(transcript, `${JSON.stringify(lines[0])}\nnot JSON\n${JSON.stringify({ type: "user" })}\n`);
  writeFileSync(join(user, ".gemini"), "a file where a folder should be");
  symlinkSync("/dev/zero", join(dirname(transcript), "s2.jsonl"));
  const half = await place.run("coverage", "--since", "1h");
  assert.equal(half.code, 1);
  assert.match(half.stdout, /: 1 of 1 Bash calls have receipts\.\n3 places in transcripts can't be read;/);
  assert.match(half.stdout, /s1\.jsonl:2\n .*s2\.jsonl\n .*\/\.gemini\/tmp\n$/);
});
