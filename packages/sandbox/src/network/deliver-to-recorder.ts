import { DELIVERY_LIMITS, type Delivery, type FrameClient, openDeliveryBy } from "../delivery/index.ts";
import type { Log } from "../errors/index.ts";
import { FOR_NOW, type RecorderAnswer, type RecorderClient } from "../relay/index.ts";

/** Of one sandbox. Frames of flows are small and many, and none is graver than another. */
const LIMITS = { ...DELIVERY_LIMITS, queueFrames: 40_000, queueBytes: 96 * 1024 * 1024, reservedShare: 0 };

/** One sandbox's way to the recorder: what it is told waits on disk while the recorder is away, and what can't be kept is counted. */
export async function openSandboxDelivery(state: string, recorder: RecorderClient, log: Log): Promise<Delivery> {
  return await openDeliveryBy({ client: () => clientOf(recorder), state, whose: "observer", limits: LIMITS, log });
}

/** The connection is shared, and not ours to close. */
function clientOf(recorder: RecorderClient): FrameClient {
  return {
    async post(lines) {
      // The line's end isn't part of the frame.
      const answers = await Promise.all(lines.map((line) => recorder.send(line.subarray(0, -1))));
      const results = answers.map(resultOf);
      const refused = answers.find(({ kind }) => kind === "refused");
      const away = results.includes("again") ? "the recorder is away" : undefined;
      return { results, retryAfterMs: undefined, problem: refused?.kind === "refused" ? refused.code : away };
    },
    close: () => undefined,
  };
}

function resultOf(answer: RecorderAnswer): "taken" | "refused" | "again" {
  if (answer.kind === "recorded") return "taken";
  return answer.kind === "unknown" || FOR_NOW.has(answer.code) ? "again" : "refused";
}
