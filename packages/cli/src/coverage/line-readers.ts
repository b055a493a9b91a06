import type { HookedAgent } from "@countersign/protocol/access";
import { asList, asRecord, asText, asTime, type LineReader } from "./agent-call.ts";

/** Each for one transcript, from its first line to its last. OpenCode keeps a database instead; Cursor nothing that can be read. */
export const LINE_READERS: Partial<Record<HookedAgent, () => LineReader>> = {
  "claude-code": () => readClaude,
  codex: codexReader,
  gemini: geminiReader,
};

/** Tools that only look, or only talk to the agent itself, have no receipts. */
const CLAUDE_TOOLS = /^(?:Bash|Write|Edit|MultiEdit|NotebookEdit|mcp__.*)$/;

const readClaude: LineReader = (line) => {
  const { message, sessionId, timestamp, cwd, type } = line;
  if (type !== "assistant") return [];
  return asList(asRecord(message).content).flatMap((part) => {
    const { type: kind, id, name, input } = asRecord(part);
    const tool = asText(name) ?? "";
    if (kind !== "tool_use" || !CLAUDE_TOOLS.test(tool)) return [];
    return [
      {
        ...{ sessionId: asText(sessionId) ?? "", callId: asText(id), tool },
        command: tool === "Bash" ? asText(asRecord(input).command) : undefined,
        ...{ atMs: asTime(timestamp), cwd: asText(cwd) },
      },
    ];
  });
};

/** The session is named once, at the top. A call is told when the model makes it, and again when it ran: the second is the only one in code mode. */
function codexReader(): LineReader {
  let sessionId = "";
  let cwd: string | undefined;
  const told = new Set<string>();
  return ({ type, payload, timestamp }) => {
    const said = asRecord(payload);
    if (type === "session_meta") {
      sessionId = asText(said.id) ?? asText(said.session_id) ?? "";
      cwd = asText(said.cwd);
    }
    const call = type === "response_item" ? codexCall(said) : type === "event_msg" ? codexRun(said) : undefined;
    if (call === undefined || told.has(call.callId)) return [];
    told.add(call.callId);
    return [{ ...call, sessionId, atMs: asTime(timestamp), cwd }];
  };
}

const CODEX_SHELLS = new Set(["exec_command", "shell", "shell_command", "local_shell", "container.exec"]);

function codexCall({ type, name, call_id, arguments: text }: Readonly<Record<string, unknown>>) {
  const callId = asText(call_id);
  if (callId === undefined) return undefined;
  if (type === "custom_tool_call" && name === "apply_patch") return { callId, tool: "apply_patch", command: undefined };
  if (type !== "function_call" || !CODEX_SHELLS.has(asText(name) ?? "")) return undefined;
  const { cmd, command } = parsed(asText(text));
  return { callId, tool: "Bash", command: asText(cmd) ?? asText(command) ?? lastWord(command) };
}

function codexRun({ type, item }: Readonly<Record<string, unknown>>) {
  const { type: kind, id, command } = asRecord(item);
  const callId = asText(id);
  if (type !== "item_completed" || kind !== "CommandExecution" || callId === undefined) return undefined;
  return { callId, tool: "Bash", command: lastWord(command) };
}

/** `["/bin/bash", "-lc", "ls"]`. */
function lastWord(words: unknown): string | undefined {
  return asText(asList(words).at(-1));
}

function parsed(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    return asRecord(JSON.parse(text ?? ""));
  } catch {
    return {};
  }
}

/** A message is written again whenever more of it is known. Its calls have ids that the hook isn't told. */
function geminiReader(): LineReader {
  let sessionId = "";
  const told = new Set<string>();
  return (line) => {
    sessionId = asText(line.sessionId) ?? sessionId;
    return asList(line.toolCalls).flatMap((call) => {
      const { id, name, args, timestamp } = asRecord(call);
      const own = asText(id) ?? "";
      if (name !== "run_shell_command" || told.has(own)) return [];
      told.add(own);
      const atMs = asTime(timestamp) ?? asTime(line.timestamp);
      return [
        { sessionId, callId: undefined, tool: "Bash", command: asText(asRecord(args).command), atMs, cwd: undefined },
      ];
    });
  };
}
