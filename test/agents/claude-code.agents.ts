import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type AgentKind, AgentRoom } from "./agent-room.ts";
import { seeDecisions } from "./see-decisions.ts";

const claudeCode: AgentKind = {
  name: "claude-code",
  program: "claude",
  // Its own prompts are out of the way: what doesn't run is our doing.
  args: () => ["-p", "do it", "--permission-mode", "bypassPermissions"],
  env: ({ model }) => ({
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: "local",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    // Elsewhere it bypasses nothing for root.
    IS_SANDBOX: "1",
  }),
};

function bash(command: string) {
  return { tool: "Bash", input: { command, description: "for a test" } };
}

test("Claude Code does what we decide", (t) =>
  seeDecisions(t, {
    kind: claudeCode,
    shell: bash,
    write: (file_path, content) => ({ tool: "Write", input: { file_path, content } }),
    told: (words, { tool }) => `PreToolUse:${tool} hook error: ${words}`,
    enforcement: "jail",
  }));

test("Claude Code stands where its last command went, though we ran it", async (t) => {
  const room = await AgentRoom.open(t, claudeCode);
  if (room === undefined) return;
  mkdirSync(join(room.workspace, "sub"));
  await room.install();
  await room.serve();
  const background = { tool: "Bash", input: { command: "cd ..; pwd", run_in_background: true } };
  const run = await room.run([bash("cd sub"), bash("pwd; cat nonesuch.txt"), background, bash("pwd")]);
  assert.deepEqual(run.strange, [], run.output);
  const sub = join(room.workspace, "sub");
  assert.equal(run.results[1], `Exit code 1\n${sub}\ncat: nonesuch.txt: No such file or directory`);
  assert.match(run.results[2] ?? "", /^Command running in background/);
  assert.equal(run.results[3], sub);
});
