export { classify } from "./classify.ts";
export { isCall } from "./is-call.ts";
export { readSandboxCall } from "./read-sandbox-call.ts";
export { readToolCall } from "./read-tool-call.ts";
