export { callTool } from "./call-tool.ts";
export { Chats } from "./chats.ts";
