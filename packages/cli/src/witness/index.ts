export { forget, memoryFile } from "./ledger-memory.ts";
export { alarmText, witnessHub } from "./witness-hub.ts";
