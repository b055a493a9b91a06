export { limitFirst } from "./limit-first.ts";
export { type LimitedRun, RunLimiter } from "./run-limiter.ts";
