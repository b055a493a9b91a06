export { Backpressure } from "./backpressure.ts";
export { FrameBuffer, writeFrame } from "./frame-buffer.ts";
export { openRecorder } from "./frame-server.ts";
export { listenAt, refuseLongPath } from "./listen-at.ts";
export type { FrameCounts } from "./recorder.ts";
