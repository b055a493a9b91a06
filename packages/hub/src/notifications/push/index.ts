export { Push } from "./push-channel.ts";
export { openPushKey, type PushKey } from "./push-key.ts";
export { Subscriptions } from "./subscriptions.ts";
