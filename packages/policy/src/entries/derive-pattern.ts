import { DELETERS, INTERPRETERS, RUNNERS, WRAPPERS } from "../catalog/index.ts";
import { basename, type Part } from "../model/index.ts";
import { escapePatternWord, isOutOfSight, userWords } from "../patterns/index.ts";
import { isExact } from "../tools/index.ts";

/** `<program> **`; for an interpreter or runner what it is given, and nothing when that isn't a plain word. */
export function patternFor(part: Part): string | undefined {
  if (part.toolCall) return patternForTool(part);
  const name = basename(part.words[0] ?? "");
  if (runsWords(name)) return undefined;
  const runs = runsFirst(name);
  const script = part.words[1];
  if (runs && (script === undefined || script === null || script === "" || script.startsWith("-"))) return undefined;
  if (isExact(part.words) || isExactlyDangerous(part)) return exactPattern(part);
  if (!runs || !script) return `${escapePatternWord(name)} **`;
  return `${escapePatternWord(name)} ${escapePatternWord(script)} **`;
}

/** This tool of this server, with whatever arguments; where those are dangerous, these. */
function patternForTool(part: Part): string | undefined {
  const [server, tool] = part.words;
  if (isExactlyDangerous(part) || changesRights(part) || isOutOfSight(part.words)) return exactPattern(part);
  return `${[server ?? "", tool ?? "", ...userWords(part.words)].map(escapePatternWord).join(" ")} **`;
}

/** Who may do what afterwards is no more than what was seen. */
function changesRights({ effects }: Part): boolean {
  return effects.some(({ kind }) => kind === "privilege");
}

/** Its words are another command: an entry for it alone says nothing. */
export function runsWords(name: string): boolean {
  if (name === "env" || name === "xargs") return true;
  return WRAPPERS.some((wrapper) => wrapper.names.includes(name) && wrapper.causes !== undefined);
}

/** Its first word is what it runs. */
export function runsFirst(name: string): boolean {
  return [...INTERPRETERS, ...RUNNERS].includes(name) || /^(python|ruby|perl|php|node|lua)[\d.]*$/.test(name);
}

/** Dangerous, and not by what it deletes: its targets then don't say how far it goes. */
export function isExactlyDangerous(part: Part): boolean {
  return !isDescribed(part) && part.effects.some((effect) => effect.risk === "dangerous");
}

/** The very words, where a pattern can hold them: it knows no empty word, and is trimmed. */
export function exactPattern(part: Part): string | undefined {
  const [head, ...rest] = part.words;
  if (head === null || head === undefined || rest.some((word) => word === null || word === "")) return undefined;
  const words = [part.toolCall ? head : basename(head), ...(rest as readonly string[])];
  return /\s$/.test(words.at(-1) ?? "") ? undefined : words.map(escapePatternWord).join(" ");
}

/** Its effects say all that it does: the tables know each of its words, or its operands are its targets. */
export function isDescribed(part: Part): boolean {
  return part.described === true || DELETERS.includes(basename(part.words[0] ?? ""));
}

export function patternForBoth(part: Part, inner: Part): string | undefined {
  const own = part.words.slice(0, part.words.length - inner.words.length);
  const rest = patternFor(inner);
  if (rest === undefined || own.length === 0 || own.includes(null)) return undefined;
  const [head = "", ...options] = own as readonly string[];
  return [basename(head), ...options].map(escapePatternWord).concat(rest).join(" ");
}
