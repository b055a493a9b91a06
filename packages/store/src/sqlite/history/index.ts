export { buildBlocks } from "./build-blocks.ts";
export { HistoryReader } from "./history-reader.ts";
export { readDecided } from "./indexed-rows.ts";
export { keepEnded } from "./keep-ended.ts";
export { HISTORY } from "./schema.ts";
