export { FrameBuffer, writeFrame } from "./frame-buffer.ts";
export { HubPace } from "./hub-pace.ts";
export { listenAt, refuseLongPath } from "./listen-at.ts";
export { openRecorder } from "./open-recorder.ts";
export type { FrameCounts } from "./recorder.ts";
