export { editOffline, trustOffline } from "./edit-offline.ts";
export { explainOffline } from "./explain-offline.ts";
export { rotateOffline } from "./rotate-offline.ts";
