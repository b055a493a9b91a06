export { Attention } from "./attention.ts";
export { CheckpointNews } from "./checkpoint-news.ts";
export { type ApprovalNews, askedEvent, News, PolicyNews, type RunEvent, RunNews } from "./news.ts";
export { Presence } from "./presence.ts";
export { StateNews } from "./state-news.ts";
