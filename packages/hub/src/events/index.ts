export { askedEvent } from "./asked-event.ts";
export { Attention } from "./attention.ts";
export { CheckpointNews } from "./checkpoint-news.ts";
export { type ApprovalNews, News } from "./news.ts";
export { PolicyNews } from "./policy-news.ts";
export { Presence } from "./presence.ts";
export { RunNews, type RunTold } from "./run-news.ts";
export { StateNews } from "./state-news.ts";
