import { test } from "node:test";
import type { AgentKind } from "./agent-room.ts";
import { type Spoken, seeDecisions } from "./see-decisions.ts";

function codex(sandbox: "workspace-write" | "danger-full-access"): AgentKind {
  return {
    name: "codex",
    program: "codex",
    args: () => ["exec", "--skip-git-repo-check", "--sandbox", sandbox, "do it"],
    env: () => ({ LOCAL_KEY: "local" }),
    settings: ({ model, workspace }) => ({
      ".codex/config.toml": [
        // One with a tool for patches; newer ones write programs that call tools.
        'model = "gpt-5.5"',
        'model_provider = "local"',
        "check_for_update_on_startup = false",
        "[analytics]",
        "enabled = false",
        "[model_providers.local]",
        'name = "local"',
        `base_url = "${model}/v1"`,
        'wire_api = "responses"',
        'env_key = "LOCAL_KEY"',
        "request_max_retries = 0",
        "stream_max_retries = 0",
        `[projects."${workspace}"]`,
        'trust_level = "trusted"',
        "",
      ].join("\n"),
    }),
  };
}

const spoken: Omit<Spoken, "kind" | "enforcement"> = {
  shell: (cmd) => ({ tool: "exec_command", input: { cmd } }),
  write: (path, content) => ({
    tool: "apply_patch",
    input: { freeform: `*** Begin Patch\n*** Add File: ${path}\n+${content}*** End Patch` },
  }),
  told: (words, { input }) =>
    `Command blocked by PreToolUse hook: ${words}. Command: ${String(input.cmd ?? input.freeform)}`,
};

test("Codex does what we decide, in its own sandbox", (t) =>
  seeDecisions(t, { ...spoken, kind: codex("workspace-write"), enforcement: "none", tellsCode: false }));

test("Codex does what we decide, with our jail in place of its sandbox", (t) =>
  seeDecisions(t, { ...spoken, kind: codex("danger-full-access"), enforcement: "jail", mode: "run" }));
