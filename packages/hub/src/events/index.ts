export { Attention } from "./attention.ts";
export { CheckpointNews } from "./checkpoint-news.ts";
export { type ApprovalNews, askedEvent, News, PolicyNews, RunNews, type RunTold } from "./news.ts";
export { Presence } from "./presence.ts";
export { StateNews } from "./state-news.ts";
