export type { Channel } from "./channel.ts";
export { Deliveries, type Delivery, type DeliveryRooms } from "./deliveries.ts";
export { findDesktop, openDesktop } from "./desktop.ts";
export { type Notice, noticeOf, type Waiting, waitingOf, wordsOf } from "./notice.ts";
export { openNtfy } from "./ntfy.ts";
export { post } from "./post.ts";
export { type HttpChannel, type HttpChannelRooms, openWebhook } from "./webhook.ts";
