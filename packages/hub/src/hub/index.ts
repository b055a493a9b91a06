export { openHub } from "./compose.ts";
export { lacksSpace } from "./disk-watch.ts";
export { Hub } from "./hub.ts";
