import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";

type Effect = ExecApprovalRequestPayload["effects"][number];

/** A part of the command with the effects that come from it; none if it is harmless. */
export interface CommandPiece {
  readonly text: string;
  readonly effects: readonly Effect[];
}

/** Splits the command where an unsafe effect begins or ends. The joined texts are the command. */
export function cutCommand({
  command,
  effects,
}: Pick<ExecApprovalRequestPayload, "command" | "effects">): CommandPiece[] {
  const marked = effects.filter(({ risk, span }) => risk !== "safe" && span.end > span.pos);
  const cuts = [0, command.length, ...marked.flatMap(({ span }) => [span.pos, span.end])]
    .filter((at) => at >= 0 && at <= command.length && !splitsPair(command, at))
    .sort((a, b) => a - b);
  const pieces: CommandPiece[] = [];
  for (const [n, end] of cuts.entries()) {
    const pos = cuts[n - 1] ?? 0;
    if (end === pos) continue;
    pieces.push({
      text: command.slice(pos, end),
      effects: marked.filter(({ span }) => span.pos <= pos && span.end >= end),
    });
  }
  return pieces;
}

/** Doesn't split surrogate pairs: half a character can't be shown. */
function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before < 0xdc00 && at < text.length;
}

/** The highest of several risks. */
export function worstRisk(effects: readonly Pick<Effect, "risk">[]): Effect["risk"] {
  if (effects.some(({ risk }) => risk === "dangerous")) return "dangerous";
  return effects.some(({ risk }) => risk === "needs-review") ? "needs-review" : "safe";
}
