export { FrameBatcher } from "./frame-batcher.ts";
export { RecordingThread } from "./recording-thread.ts";
