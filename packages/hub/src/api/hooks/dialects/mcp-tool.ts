import type { HookAgent, HookTool } from "../calls/index.ts";

/**
 * `mcp__server__tool`, as Claude Code and Codex call the tools of MCP servers. Where either holds such underscores itself, which is which
 * can't be told, and a server could take another's name: rules then go by the whole name, as of a tool that the agent itself has.
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
