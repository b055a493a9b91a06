import type { Enforcement } from "@countersign/vocabulary";
import { DELETERS } from "../catalog/index.ts";
import { basename, type Effect, isInside, type Part, worst } from "../model/index.ts";
import type { Ceiling } from "../profile/index.ts";
import { isExact, readShape } from "../programs/index.ts";

interface Setting {
  readonly roots: readonly string[];
  readonly enforcement: Enforcement;
}

/** What was seen of the parts: their own effects, the kinds and worst risk of these, and the affected paths. */
interface Seen {
  readonly effects: readonly Effect[];
  readonly kinds: Ceiling["kinds"];
  readonly risk: Ceiling["risk"];
  readonly targets: readonly string[];
}

/**
 * Returns the ceiling of a saved entry. Dangerous effects: exactly the seen targets. Others: the roots that contain the
 * targets, or the target if no root does. A program with incomplete effects is also limited to its options, subcommand,
 * hosts and directory. Undefined if these aren't known.
 */
export function makeCeiling(parts: readonly Part[], setting: Setting): Ceiling | undefined {
  const { effects, kinds, risk, targets } = look(parts, setting);
  const program = parts.at(-1) as Part;
  const widen = widenTo(setting.roots);
  const named = effects.every((effect) => effect.target !== undefined || !["writes", "deletes"].includes(effect.kind));
  if (isDescribed(program) || program.toolCall || (isExactlyDangerous(program) && targets.length > 0 && named)) {
    if (risk === "dangerous") return { kinds, risk, roots: [...targets] };
    return targets.length === 0 ? { kinds, risk } : { kinds, risk, roots: [...new Set(targets.map(widen))] };
  }
  const shape = readShape(program.words);
  if (shape === undefined || program.directory === undefined) return undefined;
  const places = [program.directory, ...targets];
  const within = [...new Set(isExactlyDangerous(program) ? places : places.map(widen))];
  return { kinds, risk, roots: within, ...shape, options: [...shape.options], ...findHosts(program, effects) };
}

/** Returns the ceiling of an entry whose pattern a person wrote: limited to what was seen. */
export function makeWrittenCeiling(parts: readonly Part[], setting: Setting): Ceiling {
  const { effects, kinds, risk, targets } = look(parts, setting);
  const roots = [...new Set(targets.map(widenTo(setting.roots)))];
  const hosts = effects.flatMap(({ kind, target }) => (isNetwork(kind) ? [target ?? ""] : []));
  return {
    kinds,
    risk,
    ...(roots.length > 0 ? { roots } : {}),
    ...(hosts.length > 0 ? { hosts: [...new Set(hosts)] } : {}),
  };
}

function look(parts: readonly Part[], { enforcement }: Setting): Seen {
  const effects = parts.flatMap((part) => part.effects).filter((effect) => effect.own);
  const relied =
    enforcement !== "jail" && effects.some((effect) => effect.reliesOnJail) ? (["needs-review"] as const) : [];
  const targets = effects.flatMap(({ kind, target }) =>
    target?.startsWith("/") && kind !== "executes" ? [target] : [],
  );
  return {
    effects,
    kinds: [...new Set(effects.map((effect) => effect.kind))],
    risk: worst([...effects.map((effect) => effect.risk), ...relied]),
    targets: [...new Set(targets)],
  };
}

function widenTo(roots: readonly string[]): (path: string) => string {
  return (path) => roots.find((root) => isInside(path, root)) ?? path;
}

function isNetwork(kind: Effect["kind"]): boolean {
  return kind === "network-read" || kind === "network-send";
}

function findHosts(program: Part, seen: readonly Effect[]): Pick<Ceiling, "hosts"> {
  const network = seen.filter((effect) => isNetwork(effect.kind));
  // Identical words name the same hosts.
  if (network.length === 0 || isExact(program.words) || isExactlyDangerous(program)) return {};
  // The empty name is a host that only the tool's settings name.
  return { hosts: [...new Set(network.map((effect) => effect.target ?? ""))] };
}

/** Reports whether the part is dangerous, with targets that don't say how far the danger goes. */
export function isExactlyDangerous(part: Part): boolean {
  return !isDescribed(part) && part.effects.some((effect) => effect.risk === "dangerous");
}

/** Reports whether the effects are complete: the catalogue knows each word, or the operands are the targets. */
function isDescribed(part: Part): boolean {
  return part.described === true || DELETERS.includes(basename(part.words[0] ?? ""));
}
