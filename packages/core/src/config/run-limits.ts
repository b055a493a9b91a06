import { totalmem } from "node:os";
import * as z from "zod";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

const bytes = (least: number) => z.number().int().min(least).max(Number.MAX_SAFE_INTEGER).optional();

/** What one run may use, as configured. What is missing has its default, and where it has none it isn't limited. */
export const limitsSchema = z.strictObject({
  /** Of each process. */
  cpuSeconds: z.number().int().min(1).max(86_400).optional(),
  /** Of the whole run, what it wrote to its private directories included. */
  memoryBytes: bytes(64 * MIB),
  /** And threads, at once. */
  processes: z.number().int().min(16).max(1_000_000).optional(),
  /** Of each file that it writes. */
  fileBytes: bytes(1),
  /** Of each of its private directories. */
  tmpBytes: bytes(MIB),
});

/** What isn't set isn't limited. */
export type RunLimits = Readonly<z.infer<typeof limitsSchema>>;

/** What this process and its children can have at the most: the machine's memory, or its container's. */
export function availableMemory(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/**
 * The limits of a run where the configuration sets none: wide enough for a build, and a fork bomb, a memory hog or an
 * endless file in a private directory leaves the machine usable.
 */
export function runLimits(configured: RunLimits, memory = availableMemory()) {
  const { memoryBytes = Math.floor(memory * 0.75), processes = 4096 } = configured;
  const { tmpBytes = Math.min(GIB, Math.floor(memory / 4)) } = configured;
  return { ...configured, memoryBytes, processes, tmpBytes } satisfies RunLimits;
}
