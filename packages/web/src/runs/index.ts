export { OutputFeed } from "./output-feed.ts";
