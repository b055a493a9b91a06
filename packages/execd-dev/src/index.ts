export type { Isolation, IsolationWish, Isolator } from "./isolated/isolator.ts";
export { type LocalExecd, type LocalExecdOptions, type LocalJail, startLocalExecd } from "./start-local-execd.ts";
