export { openHub } from "./compose.ts";
export { lacksRoom } from "./disk-watch.ts";
export { Hub } from "./hub.ts";
