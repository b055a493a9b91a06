import { basename, type Classification, type Part } from "../model/index.ts";
import { escapePatternWord } from "../patterns/index.ts";
import { assess, type Entry } from "../profile/index.ts";
import { readShape } from "../tools/index.ts";
import { planScope, type ScopePlan, type ScopeSetting } from "./plan-scope.ts";
import { type Extent, MAX_SCOPE_MINUTES, type Scope, writeScope } from "./scope.ts";

/** A way to allow a command more than once. */
export interface ScopeOffer {
  /** To send with the answer. */
  readonly scope: string;
  /** One line for a person. */
  readonly words: string;
  /** What would be saved: patterns, commands, or a directory. */
  readonly saves: readonly string[];
  readonly note?: string;
}

/** What can be offered about a command, the narrowest first. Nothing is preselected: that is the screen's part. */
export function offerScopes(classification: Classification, setting: ScopeSetting): ScopeOffer[] {
  return listScopes(classification, setting).flatMap((scope) => {
    const plan = planScope(scope, classification, setting);
    if ("refusal" in plan) return [];
    const { entries, grants, note } = plan;
    const saves = [...entries.map(({ command, pattern }) => command ?? pattern), ...grants.map(({ root }) => root)];
    return [
      { scope: writeScope(scope), words: describeScope(scope, plan), saves, ...(note === undefined ? {} : { note }) },
    ];
  });
}

function listScopes(classification: Classification, setting: ScopeSetting): Scope[] {
  const around: Extent = { kind: setting.repository === undefined ? "directory" : "repository" };
  const session: Extent = { kind: "session" };
  const forever: Extent = { kind: "forever" };
  const exact = (extent: Extent): Scope => ({ match: { kind: "exact" }, extent });
  const { riskLevel } = assess(classification, setting.circumstances.enforcement);
  // It then holds only where it ran, whatever the extent.
  if (riskLevel === "dangerous") return [exact(session), exact({ kind: "directory" })];
  const extent: Extent = { kind: "minutes", minutes: MAX_SCOPE_MINUTES };
  const patterns = suggestPatterns(classification.parts);
  return [
    ...[session, around, forever].map(exact),
    ...patterns.map((pattern): Scope => ({ match: { kind: "pattern", pattern }, extent })),
    { match: { kind: "effects" }, extent: session },
    { match: { kind: "program" }, extent: session },
    { match: { kind: "program" }, extent: around },
    { match: { kind: "program" }, extent: forever },
  ];
}

/** `npm run **` for `npm run build`: where one program has subcommands, the first of them. */
function suggestPatterns(parts: readonly Part[]): string[] {
  if (parts.length !== 1) return [];
  const words = parts[0]?.words ?? [];
  if (parts[0]?.toolCall) return [`${escapePatternWord(words[0] ?? "")} ${escapePatternWord(words[1] ?? "")} **`];
  const chosen = readShape(words)?.subcommand?.split(" ")[0];
  if (!chosen || words[1] !== chosen) return [];
  return [`${escapePatternWord(basename(words[0] ?? ""))} ${escapePatternWord(chosen)} **`];
}

/** One line for a person. */
export function describeScope({ match, extent }: Scope, { entries, grants }: ScopePlan): string {
  const patterns = [...new Set(entries.map((entry) => `\`${nameOf(entry)}\``))].join(", ");
  switch (match.kind) {
    case "exact":
      return `This exact command, ${where(extent)}`;
    case "effects":
      return `Anything that stays in ${grants[0]?.root}, without network, jailed, ${where(extent)}`;
    case "pattern":
      return `Commands that fit ${patterns}, ${where(extent)}`;
    case "program":
      return `${patterns} with what was seen here, ${where(extent)}${extent.kind === "forever" ? " (broad)" : ""}`;
  }
}

/** `npm run build …` says more than `npm **` where the entry holds no other subcommand. */
function nameOf({ pattern, ceiling }: Entry): string {
  return ceiling?.subcommand ? pattern.replace(/ \*\*$/, ` ${ceiling.subcommand} …`) : pattern;
}

function where(extent: Extent): string {
  switch (extent.kind) {
    case "session":
      return "this session";
    case "directory":
      return "in this directory";
    case "repository":
      return "in this repository";
    case "forever":
      return "for ever";
    case "minutes":
      return `in this workspace, ${describeMinutes(extent.minutes)}`;
  }
}

function describeMinutes(minutes: number): string {
  const [count, unit] =
    minutes % 1440 === 0 ? [minutes / 1440, "day"] : minutes % 60 === 0 ? [minutes / 60, "hour"] : [minutes, "minute"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
