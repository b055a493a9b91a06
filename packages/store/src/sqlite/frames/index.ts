export { FrameLine } from "./frame-line.ts";
export { RecordingThread } from "./recording-thread.ts";
