import { LOADS_NOTHING, TELLERS } from "../catalog/index.ts";
import { type Effect, makeEffect, type WordReading } from "../model/index.ts";
import type { PathSite } from "../paths/index.ts";
import type { Identified } from "./identify-program.ts";
import { judgeTool, NOT_IN_TABLE } from "./judge-tool.ts";
import { LOADS } from "./withhold-network.ts";

const words = new Map<string, Set<string>>();
for (const teller of TELLERS) {
  for (const name of teller.names.split(/\s+/)) {
    const known = words.get(name) ?? new Set();
    for (const word of teller.words) known.add(word);
    words.set(name, known);
  }
}

const loadsNothing = new Set(LOADS_NOTHING.split(/\s+/));
/** Launchers that run another program by a file of the workspace, whatever their own name is. */
const SHIM = /\/(?:shims|\.volta|volta-shim)(?:\/|$)/;

/**
 * Returns the effects of `node --version` and similar commands, undefined for other words. Exactly one word is given. The
 * program's own table comes first; it can't lift what is said of files that the program loads before it prints.
 */
export function judgeVersion(
  { name, program }: Identified,
  operands: readonly WordReading[],
  site: PathSite,
): readonly Effect[] | undefined {
  const only = operands.length === 1 ? operands[0]?.literal : null;
  if (program === undefined || typeof only !== "string" || !words.get(name)?.has(only)) return undefined;
  const own = judgeTool(name, operands, site) ?? [];
  const known = own.some((effect) => effect.ruleId === NOT_IN_TABLE) ? [] : own;
  if (loadsNothing.has(name) && !SHIM.test(program)) return known;
  // What it may load gets no network, and to print needs none.
  return [...known.filter(({ kind }) => kind !== "network-read"), mayLoad(name, site)];
}

/** A jail gives it neither network nor login, because it only reads. */
function mayLoad(name: string, site: PathSite): Effect {
  const sentence = `Starts ${name}, which may load files of this directory before it prints`;
  const about = { kind: "reads", risk: "safe", ruleId: LOADS, own: true, reliesOnJail: true } as const;
  return makeEffect(site.span, { ...about, layer: site.layer, sentence });
}
