import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";

type Effect = ExecApprovalRequestPayload["effects"][number];

/** A stretch of the command that the same effects come from; none for what is harmless. */
export interface CommandPiece {
  readonly text: string;
  readonly effects: readonly Effect[];
}

/** The command as a whole, cut where an effect that isn't safe begins or ends. The texts together are the command. */
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

/** Half a character would be shown as none. */
function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before < 0xdc00 && at < text.length;
}

/** Of several the one to mind most. */
export function worstRisk(effects: readonly Pick<Effect, "risk">[]): Effect["risk"] {
  if (effects.some(({ risk }) => risk === "dangerous")) return "dangerous";
  return effects.some(({ risk }) => risk === "needs-review") ? "needs-review" : "safe";
}
