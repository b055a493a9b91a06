import { availableMemory } from "@countersign/core/config";

const GIB = 1024 ** 3;

export interface OverlayLimits {
  /** What may be written over one workspace. */
  readonly bytes: number;
  /** At once: together they take half of the memory. */
  readonly most: number;
}

/** What is written over a workspace is memory, for as long as its session lasts and whether or not anything runs in it. */
export function overlayLimits(memory = availableMemory()): OverlayLimits {
  const bytes = Math.min(GIB, Math.floor(memory / 16));
  return { bytes, most: Math.floor(memory / 2 / bytes) };
}
