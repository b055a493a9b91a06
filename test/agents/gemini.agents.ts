import { test } from "node:test";
import { gemini } from "./gemini.ts";
import { seeDecisions } from "./see-decisions.ts";

test("Gemini CLI does what we decide", (t) =>
  seeDecisions(t, {
    kind: gemini,
    shell: (command) => ({ tool: "run_shell_command", input: { command } }),
    write: (file_path, content) => ({ tool: "write_file", input: { file_path, content } }),
    told: (words) => JSON.stringify({ error: `Tool execution blocked: ${words}` }),
    enforcement: "jail",
  }));
