export { DiscardSandboxes } from "./discard-sandboxes.ts";
export { type DiscardedChanges, DiscardedRun, watchGrowth } from "./discarded-run.ts";
