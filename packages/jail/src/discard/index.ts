export { type DiscardedChanges, DiscardedRun } from "./discarded-run.ts";
export { PreviewRooms } from "./preview-rooms.ts";
export { watchGrowth } from "./watch-growth.ts";
