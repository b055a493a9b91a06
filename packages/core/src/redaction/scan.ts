import { type Anchor, Anchors, type Matcher, VALUE_PREFIX } from "./anchors.ts";
import { WINDOW } from "./rules/index.ts";
import { RULES } from "./rules.ts";

/** A secret's beginning. Its end is where `swallow` stops. */
interface Found {
  readonly kind: "found";
  /** From here to `pos` it stays readable, as far as no other secret stands there. */
  readonly at: number;
  /** What the secret's mark replaces, in output. */
  readonly pos: number;
  /** The same in a command, where a word before the secret may be a word of its own. */
  readonly softPos: number;
  readonly headEnd: number;
  readonly matcher?: Matcher;
}

/** Nothing can be said about what stands at `at` before more has arrived; or the end has been reached. */
interface Waiting {
  readonly kind: "waiting";
  readonly at: number;
}

/** A text, or as much of it as there is. */
export interface Piece {
  readonly text: string;
  /** Nothing will follow. */
  readonly ended: boolean;
}

/** Looks for the next secret from `from` on. All rules are tried where they could begin, in the text's order. */
export function scan(piece: Piece, from: number, anchors: Anchors): Found | Waiting {
  const { text, ended } = piece;
  let at = anchors.next(text, from);
  for (; at < text.length - 2; at = anchors.next(text, at + 1)) {
    const candidates = anchors.at(text, at);
    if (!candidates) continue;
    const value = candidates.values.size > 0 ? valueAt(piece, at, candidates.values) : undefined;
    if (value) return value;
    for (const anchor of candidates.anchors) {
      const here = hasAnchor(text, at, anchor);
      if (here === "no") continue;
      if (!ended && (here === "cut" || !hasWindow(text, at))) return { kind: "waiting", at };
      const found = here === "yes" ? matchAt(text, at, anchor) : undefined;
      if (found) return found;
    }
  }
  return { kind: "waiting", at: ended ? text.length : anchors.nextCut(text, at) };
}

/**
 * Where the secret ends, as far as can be told: `open` says that it may go on. A block ends with its last line, and
 * else where a character can't be part of it.
 */
export function swallow({ text, ended }: Piece, from: number, matcher: Matcher): { end: number; open: boolean } {
  const { tail, endLine } = matcher;
  if (!tail) return { end: from, open: false };
  let end = from;
  for (;;) {
    tail.lastIndex = end;
    end += tail.exec(text)?.[0].length ?? 0;
    if (end === text.length) return { end, open: !ended };
    if (!endLine) return { end, open: false };
    if (text.length - end < LONGEST_END_LINE && !ended) return { end, open: true };
    endLine.lastIndex = end;
    const line = endLine.exec(text);
    if (line) return { end: end + line[0].length, open: false };
    if (text[end] !== "-") return { end, open: false };
    end += 1;
  }
}
const LONGEST_END_LINE = 80;

/** Those of the rules. Secrets that are known by their value can be added. */
export function makeAnchors(): Anchors {
  return new Anchors(MATCHERS);
}

const MATCHERS = makeMatchers();

function makeMatchers(): Matcher[] {
  const gates = new Map<string, RegExp>();
  return RULES.map((rule) => ({
    rule,
    head: new RegExp(rule.head, rule.exact ? "y" : "iy"),
    ...(rule.tail === undefined ? {} : { tail: new RegExp(`${rule.tail}*`, "y") }),
    ...(rule.endLine === undefined ? {} : { endLine: new RegExp(rule.endLine, "y") }),
    ...(rule.gate === undefined ? {} : { gate: gateOf(rule.gate, gates) }),
  }));
}

/** One for all the rules that have it. */
function gateOf(source: string, gates: Map<string, RegExp>): RegExp {
  const gate = gates.get(source) ?? new RegExp(source, "iy");
  gates.set(source, gate);
  return gate;
}

function hasAnchor(text: string, at: number, { text: anchor, exact }: Anchor): "yes" | "no" | "cut" {
  const there = text.slice(at, at + anchor.length);
  const same = exact ? there : there.toLowerCase();
  if (same === anchor) return "yes";
  return there.length < anchor.length && anchor.startsWith(same) ? "cut" : "no";
}

/** Heads stay on their line and in the window: what follows can't change what they say. */
function hasWindow(text: string, at: number): boolean {
  if (text.length - at >= WINDOW) return true;
  return text.includes("\n", at);
}

function matchAt(text: string, at: number, anchor: Anchor): Found | undefined {
  const gates = new Map<RegExp, number>();
  for (const matcher of anchor.matchers) {
    const { gate, rule } = matcher;
    const from = gate ? behindGate(gate, { text, at: at + anchor.text.length, gates }) : at;
    if (from < 0 || (rule.first && !rule.first.includes(text.charAt(from)))) continue;
    const found = matchHead(text, from, matcher);
    if (found) return { kind: "found", at, ...found };
  }
  return undefined;
}

/** Where the gate ends, or -1 where it is shut. Looked at once. */
function behindGate(gate: RegExp, place: { text: string; at: number; gates: Map<RegExp, number> }): number {
  const known = place.gates.get(gate);
  if (known !== undefined) return known;
  gate.lastIndex = place.at;
  const end = gate.test(place.text) ? gate.lastIndex : -1;
  place.gates.set(gate, end);
  return end;
}

function matchHead(text: string, at: number, matcher: Matcher): Omit<Found, "kind" | "at"> | undefined {
  matcher.head.lastIndex = at;
  const match = matcher.head.exec(text);
  if (!match) return undefined;
  const { keep = "", soft = "", value = "", rest = "" } = match.groups ?? {};
  if (matcher.rule.accept?.(value) === false) return undefined;
  const pos = at + keep.length;
  return { pos, softPos: pos + soft.length, headEnd: at + match[0].length - rest.length, matcher };
}

function valueAt(
  { text, ended }: Piece,
  at: number,
  values: ReadonlyMap<string, string[]>,
): Found | Waiting | undefined {
  const left = text.length - at;
  if (left < VALUE_PREFIX) return ended ? undefined : { kind: "waiting", at };
  for (const value of values.get(text.slice(at, at + VALUE_PREFIX)) ?? []) {
    if (text.startsWith(value, at)) return { kind: "found", at, pos: at, softPos: at, headEnd: at + value.length };
    if (!ended && left < value.length && value.startsWith(text.slice(at))) return { kind: "waiting", at };
  }
  return undefined;
}
