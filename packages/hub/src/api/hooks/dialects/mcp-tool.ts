import type { HookAgent, HookTool } from "../calls/index.ts";

/**
 * Reads `mcp__server__tool`, the form of Claude Code and Codex. If a part holds `__` itself, the split is ambiguous and
 * a server could take another's name, so rules then match the whole name as one of the agent's own tools.
 */
export function mcpTool(
  agent: HookAgent,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Extract<HookTool, { kind: "mcp" }> | undefined {
  const [, joined] = /^mcp__(.+__.+)$/s.exec(name) ?? [];
  if (joined === undefined) return undefined;
  const [server = "", tool = "", ...more] = joined.split("__");
  const isCertain = more.length === 0 && server !== "" && tool !== "" && !joined.includes("___");
  return { kind: "mcp", ...(isCertain ? { server, tool } : { server: agent, tool: name }), arguments: input };
}
