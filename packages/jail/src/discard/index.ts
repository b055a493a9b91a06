export { PreviewRooms } from "./preview-rooms.ts";
export { type Looked, ThrowAway } from "./throw-away.ts";
export { watchGrowth } from "./watch-growth.ts";
