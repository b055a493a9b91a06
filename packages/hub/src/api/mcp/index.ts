export { callOwnTool } from "./call-own-tool.ts";
export { HeldToolCalls, MCP_AGENT } from "./held-tool-calls.ts";
export { McpHttpSessions } from "./http-sessions.ts";
export { type ToolPort, toolServer } from "./tool-server.ts";
