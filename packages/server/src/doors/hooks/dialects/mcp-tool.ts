import type { HookTool } from "../hook-tool.ts";

/** `mcp__server__tool`, as Claude Code and Codex call the tools of MCP servers. */
export function mcpTool(name: string, input: Readonly<Record<string, unknown>>): HookTool | undefined {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return server === undefined || tool === undefined ? undefined : { kind: "mcp", server, tool, arguments: input };
}
