import { type Classification, type Effect, isInside } from "../model/index.ts";
import {
  assess,
  type Ceiling,
  type Enforcement,
  type Entry,
  MAX_PATTERN_LENGTH,
  underEnforcement,
} from "../profile/index.ts";
import { PLAIN_VARIABLE } from "../shell/index.ts";
import { exactPattern } from "./derive-pattern.ts";
import { findRefusal } from "./refuse-entry.ts";

interface Setting {
  readonly enforcement: Enforcement;
  /** Directories in which the same words may do the same; without them, and where it is dangerous, only where it ran. */
  readonly roots?: readonly string[] | undefined;
}

/** An entry for this very command, redirects and all that it runs included; or why there can't be one. */
export function deriveForCommand(classification: Classification, setting: Setting): Entry | string {
  const { parts, command } = classification;
  const refusal = findRefusal(classification) ?? findUnknown(classification, setting);
  if (refusal !== undefined) return refusal;
  const first = parts[0];
  const pattern = first === undefined ? undefined : exactPattern(first);
  if (pattern === undefined) return "its words can't be held one by one";
  if (Math.max(pattern.length, command.length) > MAX_PATTERN_LENGTH) return "it is too long";
  return { pattern, command: command.trim(), ceiling: makeCeiling(classification, setting) };
}

/** What the text alone doesn't settle: its words, where it runs, or the environment that comes with it. */
function findUnknown({ parts, effects }: Classification, { enforcement }: Setting): string | undefined {
  if (parts.some((part) => part.words.includes(null))) return "some of its words are only known when it runs";
  if (parts.some((part) => part.directory === undefined)) return "where it runs isn't certain";
  const unsafe = effects.filter((effect) => underEnforcement(effect, enforcement).risk !== "safe");
  return unsafe.find(isUnsettled)?.sentence;
}

/** Variables count where the text sets them, and where they don't change which code it is that runs. */
function isUnsettled({ kind, span, ruleId }: Effect): boolean {
  if (kind === "environment") return span.end === span.pos || ruleId !== PLAIN_VARIABLE;
  return kind === "obfuscation";
}

function makeCeiling(classification: Classification, { enforcement, roots }: Setting): Ceiling {
  const { riskLevel: risk } = assess(classification, enforcement);
  const kinds = [...new Set(classification.effects.map((effect) => effect.kind))];
  const places = [...new Set(classification.parts.flatMap((part) => part.directory ?? []))];
  const targets = classification.effects.flatMap(({ kind, target }) =>
    target?.startsWith("/") && kind !== "executes" ? [target] : [],
  );
  if (roots === undefined || risk === "dangerous") return { kinds, risk, roots: [...new Set(targets)], places };
  const widen = (path: string) => roots.find((root) => isInside(path, root)) ?? path;
  return { kinds, risk, roots: [...new Set([...places, ...targets].map(widen))] };
}
