export { DiscardSandboxes } from "./discard-sandboxes.ts";
export { type DiscardedChanges, DiscardedRun } from "./discarded-run.ts";
export { watchGrowth } from "./watch-growth.ts";
