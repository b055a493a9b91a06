import { isDeniedBy, isEntryWithin } from "./compare-profiles.ts";
import type { LayerBlock } from "./layer.ts";

const EMPTY: LayerBlock = { allowlist: [], denylist: [] };

/**
 * What one version of a layer's file may let happen that the other doesn't, one sentence each; none means tighter or equal. A
 * stated setting that changes is told whichever way it went: beside other layers either may be the looser.
 */
export function describeLayerChange(from: LayerBlock = EMPTY, to: LayerBlock = EMPTY): string[] {
  const settings = Object.keys(from).filter((key) => key !== "allowlist" && key !== "denylist") as (keyof LayerBlock)[];
  return [
    ...settings
      .filter((key) => from[key] !== to[key])
      .map((key) => `${key}: ${String(from[key])} → ${String(to[key] ?? "not stated")}`),
    ...to.allowlist
      .filter((entry) => !isEntryWithin(entry, from.allowlist))
      .map(({ pattern }) => `allowlist: adds or widens ${JSON.stringify(pattern)}`),
    ...from.denylist
      .filter((entry) => !isDeniedBy(entry, to.denylist))
      .map(({ pattern }) => `denylist: removes or shortens ${JSON.stringify(pattern)}`),
  ];
}
