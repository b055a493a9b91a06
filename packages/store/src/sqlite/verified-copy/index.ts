export { Mirror } from "./mirror.ts";
export { type KeptDraft, Outbox, signKept } from "./outbox.ts";
