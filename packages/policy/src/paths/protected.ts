import { type Effect, isInside, WILD, type Word } from "../model/index.ts";
import { placesOf, type ResolvedPath } from "../shell/index.ts";
import { makePathEffect, type PathSite } from "./path-effect.ts";

/** Returns the floor effect if the word may reach Countersign's own files. A glob counts if it could match them. */
export function judgeProtected(word: Word, leads: ResolvedPath, site: PathSite): Effect | undefined {
  const places = placesOf(leads);
  const path = site.machine.protectedPaths.find((kept) =>
    places.some((one) => (one.includes(WILD) ? couldReach(one, kept, word) : isInside(one, kept))),
  );
  if (path === undefined) return undefined;
  const ruleId = "path.countersign";
  const verb = "Touches Countersign's own files";
  return { ...makePathEffect(site, { kind: "credentials", risk: "dangerous", ruleId, verb, path }), floor: true };
}

/**
 * Reports whether a glob could match the path, name by name. A variable could too, but that alone isn't held against
 * it.
 */
function couldReach(masked: string, path: string, { shape }: Word): boolean {
  const names = masked.split("/").slice(1);
  const wanted = path.split("/").slice(1);
  return wanted.every((name, index) => {
    const pattern = names[index];
    if (pattern === undefined) return false;
    return pattern.includes(WILD) ? shape === "glob" && fits(pattern, name) : pattern === name;
  });
}

function fits(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split(WILD);
  // A leading star doesn't match hidden names.
  if (first === "" && name.startsWith(".")) return false;
  return name.startsWith(first) && name.endsWith(rest.at(-1) ?? "");
}

const OURS = /\/\.countersign(\/|$)/;
/** Kinds that change nothing. */
const HARMLESS: readonly Effect["kind"][] = ["reads", "executes"];

/**
 * Raises effects on a repository's own policy, which is in reach of agents: reading it is fine, changing or deleting it
 * is part of the floor.
 */
export function guardPolicy(effect: Effect): Effect {
  if (effect.target === undefined || HARMLESS.includes(effect.kind) || !OURS.test(effect.target)) return effect;
  return { ...effect, risk: "dangerous", floor: true };
}
