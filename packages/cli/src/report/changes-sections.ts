import type { Figures, ReportEvent } from "@countersign/protocol/records";
import { visible } from "@countersign/protocol/text";
import { elide, quoted } from "../terminal/index.ts";
import { leftOutOf } from "./count-report.ts";
import { localTime } from "./local-time.ts";
import type { Section } from "./section.ts";

const KINDS: readonly (readonly [title: string, types: readonly string[]])[] = [
  ["Changes of policy and config", ["policy-changed", "config-changed"]],
  ["Pauses", ["paused", "resumed"]],
  ["Tokens and devices", ["token-created", "token-revoked", "device-claimed"]],
  ["Cards shown unredacted", ["revealed"]],
  ["Agents connected and disconnected", ["adapter-installed", "adapter-removed"]],
  ["Notifications turned on and off", ["notify-on", "notify-off"]],
];
const LONGEST_WORDS = 300;

/** What changed who may do what, and wrong tokens. */
export function changesSections(figures: Figures): Section[] {
  const known = new Set(KINDS.flatMap(([, types]) => types));
  const others = [...new Set(figures.events.map(({ type }) => type).filter((type) => !known.has(type)))];
  const kinds = [...KINDS, ...(others.length === 0 ? [] : [["Also on record", others] as const])];
  const { count, addresses } = figures.authFailures;
  const failures = `${count} wrong tokens or codes, from: ${addresses.map((address) => visible(address)).join(", ")}`;
  return [
    ...kinds.flatMap(([title, types]) => eventSection(title, types, figures)),
    ...(count === 0 ? [] : [{ title: "Failed logins", blocks: [{ kind: "note", text: failures } as const] }]),
  ];
}

function eventSection(title: string, types: readonly string[], figures: Figures): Section[] {
  const found = figures.events.filter(({ type }) => types.includes(type));
  if (found.length === 0) return [];
  const head = ["when", "what", "who", "receipt"];
  const notes = leftOutOf(figures, types).map((text) => ({ kind: "note", text }) as const);
  return [{ title, blocks: [{ kind: "table", head, rows: found.map(rowOf), numbers: [3], long: 1 }, ...notes] }];
}

function rowOf({ at, type, session, said, seq }: ReportEvent): string[] {
  const { person, by, ...rest } = said;
  const who = typeof person === "string" ? person : by;
  const where = session === null ? {} : { session };
  const told = Object.entries({ ...where, ...rest }).map(([name, value]) => `${name}: ${wordsOf(value)}`);
  const how = typeof person === "string" && typeof by === "string" ? [`by: ${by}`] : [];
  return [
    localTime(Date.parse(at)),
    elide(visible([type, ...how, ...told].join(" · ")), LONGEST_WORDS),
    typeof who === "string" ? quoted(who) : "",
    String(seq),
  ];
}

function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsOf).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
