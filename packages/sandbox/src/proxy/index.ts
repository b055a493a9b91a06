export type { ProxyTokens } from "./own-token.ts";
export type { ProxyOptions, RecordingProxy } from "./proxy.ts";
export { startProxy } from "./proxy.ts";
