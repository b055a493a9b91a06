export { Deliveries, type Delivery } from "./deliveries.ts";
export { findDesktop, openDesktop } from "./desktop.ts";
export type { Channel } from "./notice.ts";
export { type Notice, noticeOf, type Waiting, waitingOf, wordsOf } from "./notice.ts";
export { openNtfy } from "./ntfy.ts";
export { post } from "./post.ts";
export { type HttpChannel, openWebhook, SignedPoster } from "./webhook.ts";
