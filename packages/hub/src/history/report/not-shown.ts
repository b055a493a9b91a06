import type { Figures } from "@countersign/protocol/records";

/** Lists what the figures don't prove, even if every receipt is valid. */
export function notShown({ decided, running, emitters }: Figures): string[] {
  const unheld = (decided.allowedEnforcement.advisory ?? 0) + (decided.allowedEnforcement.none ?? 0);
  const reported = running.reportedBy.executor ?? 0;
  const frames = emitters.reduce((sum, emitter) => sum + emitter.frames, 0);
  return [
    "What nobody has answered yet: a proposal is on record from its decision on.",
    "What was done without being proposed.",
    ...(unheld > 0
      ? [`That ${unheld} of what was allowed did no more than that: nothing held it to it (advisory, none).`]
      : []),
    ...(reported > 0 ? [`How ${reported} of the runs ended: their executors said so.`] : []),
    ...(frames > 0
      ? [`That what ${frames} frames of emitters say is true: only who sent them, and when they came.`]
      : []),
  ];
}
