import type { Position, RunOutput } from "@countersign/jail";
import { type OutputEvent, positionSchema } from "@countersign/protocol/proposals";

/** Small enough for a frame, also when every byte of it is escaped. */
const MAX_EVENT_BYTES = 64 * 1024;

export interface Following {
  /** The `id` of the last event that somebody has; from the start without it. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Everything that a run writes, from `after` on, until its end or the signal. It waits for whoever takes the events, and
 * the run doesn't: what was dropped meanwhile is told as `omitted`.
 */
export async function* followOutput(output: RunOutput, { after, signal }: Following): AsyncGenerator<OutputEvent> {
  let position = readPosition(after);
  let wake: () => void = () => undefined;
  const forget = output.onChange(() => wake());
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort);
  try {
    while (!signal.aborted) {
      const part = output.read(position, MAX_EVENT_BYTES);
      if (part) {
        const { stream, text, omitted } = part;
        position = part.position;
        yield { id: writePosition(position), stream, text, ...(omitted > 0 ? { omitted } : {}) };
      } else {
        if (output.hasEnded) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    forget();
    signal.removeEventListener("abort", onAbort);
  }
}

function readPosition(id: string | undefined): Position {
  const [stdout = 0, stderr = 0] = positionSchema.safeParse(id).data?.split("-").map(Number) ?? [];
  return { stdout, stderr };
}

function writePosition({ stdout, stderr }: Position): string {
  return `${stdout}-${stderr}`;
}
