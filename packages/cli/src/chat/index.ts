export type { ChatOptions } from "./chat-session.ts";
export { runPlain } from "./plain.ts";
export { runChat } from "./run.ts";
