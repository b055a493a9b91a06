export type { Isolation, IsolationWish, Isolator } from "./isolated/index.ts";
export { type LocalExecd, type LocalExecdOptions, type LocalJail, startLocalExecd } from "./start-local-execd.ts";
