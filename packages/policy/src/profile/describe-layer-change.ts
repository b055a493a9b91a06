import { isDeniedBy, isEntryWithin } from "./compare-profiles.ts";
import type { LayerBlock } from "./layer.ts";
import type { Ceiling, Entry } from "./profile.ts";

/** How a ceiling is told in one line. */
export type CeilingWords = (ceiling: Ceiling) => string;

const EMPTY: LayerBlock = { allowlist: [], denylist: [] };

/**
 * What one version of a layer's file may let happen that the other doesn't, one sentence each; none means tighter or equal. A
 * stated setting that changes is told whichever way it went: beside other layers either may be the looser.
 */
export function describeLayerChange(
  from: LayerBlock = EMPTY,
  to: LayerBlock = EMPTY,
  tellCeiling: CeilingWords,
): string[] {
  const settings = Object.keys(from).filter((key) => key !== "allowlist" && key !== "denylist") as (keyof LayerBlock)[];
  return [
    ...settings
      .filter((key) => from[key] !== to[key])
      .map((key) => `${key}: ${String(from[key])} → ${String(to[key] ?? "not stated")}`),
    ...to.allowlist
      .filter((entry) => !isEntryWithin(entry, from.allowlist))
      .map((entry) => {
        const before = from.allowlist.filter(({ pattern }) => pattern === entry.pattern);
        return `allowlist: adds or widens ${JSON.stringify(entry.pattern)}${boundsWords(entry, before, tellCeiling)}`;
      }),
    ...from.denylist
      .filter((entry) => !isDeniedBy(entry, to.denylist))
      .map(({ pattern }) => `denylist: removes or shortens ${JSON.stringify(pattern)}`),
  ];
}

/** What an entry is bound to, and what one of its pattern was bound to before: without that nobody sees what was widened. */
function boundsWords(entry: Entry, before: readonly Entry[], tellCeiling: CeilingWords): string {
  const [now, ...then] = [entry, ...before].map((one) => boundsOf(one, tellCeiling) || "no bounds of its own");
  if (then.length > 0) return `: ${now}; until now: ${then.join(" | ")}`;
  const stated = boundsOf(entry, tellCeiling);
  return stated === "" ? "" : `: ${stated}`;
}

function boundsOf({ ceiling, directory, command, code, jail, lend, expiresAtMs }: Entry, tell: CeilingWords): string {
  const files = Object.keys(code ?? {}).length;
  const held = files === 1 ? "the code of one file" : `the code of ${files} files`;
  return [
    ...(command === undefined ? [] : [`exactly ${JSON.stringify(command)}`]),
    ...(ceiling === undefined ? [] : [tell(ceiling)]),
    // A repository's entries have both, for the same.
    ...(directory === undefined || ceiling?.roots?.join() === directory ? [] : [`inside ${directory}`]),
    ...(files === 0 ? [] : [`while ${held} stays as it is`]),
    ...(jail === undefined ? [] : [`jail ${jail}`]),
    ...(lend ? ["with credentials"] : []),
    ...(expiresAtMs === undefined ? [] : [`until ${new Date(expiresAtMs).toISOString()}`]),
  ].join("; ");
}
