import type { Effect, Span } from "@countersign/policy";

/** As much of an effect as matters here. */
export type EffectPlace = Pick<Effect, "kind" | "span" | "target">;

/** What the effects are about, where they name it: never hidden from whoever decides. */
export function namesIn(effects: readonly EffectPlace[]): string[] {
  return [...new Set(effects.flatMap(({ target }) => (target !== undefined && isName(target) ? target : [])))];
}

/** Whether something of an effect could not be seen any more if these characters were hidden: its place, or what it is about. */
export function concealsEffect(command: string, hidden: Span, effects: readonly EffectPlace[]): boolean {
  if (isHost(command, hidden)) return true;
  const text = command.slice(hidden.pos, hidden.end);
  return effects.some(({ kind, span, target }) => {
    if (!meets(hidden, span)) return false;
    if (hidden.pos <= span.pos && span.end <= hidden.end) return true;
    if (target === undefined) return ACTS_ON_OPERANDS.has(kind) && isOperand(command, hidden);
    return isName(target) && names(target, text);
  });
}

/**
 * Whether a target is the name of a file or a machine, which whoever decides has to see. Other targets are guesses: any word
 * of a command may be the data that it sends.
 */
export function isName(target: string): boolean {
  return target.startsWith("/") || /^[\w.:[\]-]+$/.test(target);
}

export function meets(one: Span, other: Span): boolean {
  return one.pos < other.end && other.pos < one.end;
}

/** Hosts have no case. A few letters of one may as well be a short password before it. */
function names(target: string, text: string): boolean {
  if (target.startsWith("/")) return target.includes(text);
  return text.length > 3 && target.toLowerCase().includes(text.toLowerCase());
}

/** Effects that are about an operand also where they don't name it: a package, a pod, a remote. */
const ACTS_ON_OPERANDS = new Set<Effect["kind"]>([
  "writes",
  "deletes",
  "network-read",
  "network-send",
  "privilege",
  "persistence",
  "history-rewrite",
  "infrastructure",
  "process-control",
]);

const FAR = 4_096;

/** A whole word that isn't the value of an option. */
function isOperand(command: string, { pos, end }: Span): boolean {
  const before = command.slice(Math.max(0, pos - FAR), pos);
  const alone = /\s["']?$/.test(before) && /^["']?(?:[\s;&|)]|$)/.test(command.slice(end, end + 2));
  return alone && !/(?:^|\s)-\S*\s+["']?$/.test(before);
}

/** In an address, behind `://` and whatever login there is. */
function isHost(command: string, { pos, end }: Span): boolean {
  const before = /:\/\/([^\s/?#]*)$/.exec(command.slice(Math.max(0, pos - FAR), pos));
  if (!before) return false;
  const authority = /^[^\s/?#"']*/.exec(command.slice(end, end + FAR))?.[0] ?? "";
  return !authority.includes("@");
}
