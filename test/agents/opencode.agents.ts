import { test } from "node:test";
import type { AgentKind } from "./agent-room.ts";
import { seeDecisions } from "./see-decisions.ts";

const opencode: AgentKind = {
  name: "opencode",
  program: "opencode",
  args: () => ["run", "do it"],
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  }),
  settings: ({ model }) => ({
    ".config/opencode/opencode.json": JSON.stringify({
      autoupdate: false,
      share: "disabled",
      model: "local/local",
      small_model: "local/local",
      // So that it asks, too: nobody is asked twice for what we allowed.
      permission: { bash: "ask", edit: "ask" },
      provider: {
        local: {
          npm: "@ai-sdk/openai-compatible",
          name: "local",
          options: { baseURL: `${model}/v1`, apiKey: "local" },
          models: { local: { name: "local", tool_call: true, limit: { context: 100_000, output: 10_000 } } },
        },
      },
    }),
  }),
};

test("OpenCode does what we decide", (t) =>
  seeDecisions(t, {
    kind: opencode,
    shell: (command) => ({ tool: "bash", input: { command, description: "for a test" } }),
    write: (filePath, content) => ({ tool: "write", input: { filePath, content } }),
    told: (words) => words,
    enforcement: "jail",
  }));
