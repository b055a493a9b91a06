export { Past } from "./past.ts";
export { RecordRoom } from "./record-room.ts";
