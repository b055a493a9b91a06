export { answerMcp } from "./answer-mcp.ts";
export { HeldToolCalls } from "./held-tool-calls.ts";
export { McpHttpSessions } from "./http-sessions.ts";
export { type ToolPort, toolServer } from "./tool-server.ts";
