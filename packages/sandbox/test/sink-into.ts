import type { ExecdFrame, FrameSink } from "../src/delivery/frame.ts";

/** Keeps what is told. */
export function sinkInto(frames: ExecdFrame[]): FrameSink {
  return {
    begin: () => ({ tell: (told) => void frames.push(...told) }),
    emit: (frame) => void frames.push(frame),
    drain: async () => undefined,
  };
}
