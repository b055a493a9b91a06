export { Mirror, type MirrorRooms } from "./mirror.ts";
export { type KeptDraft, Outbox, type OutboxRooms, signKept } from "./outbox.ts";
