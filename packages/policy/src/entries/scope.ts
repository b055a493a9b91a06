/** What an answer allows beyond this once. */
export type Match =
  /** This very command, as a whole. */
  | { readonly kind: "exact" }
  /** Its programs, up to what was seen of them: what a plain `allow-always` saves. */
  | { readonly kind: "program" }
  /** Commands that fit a pattern which the person wrote. */
  | { readonly kind: "pattern"; readonly pattern: string }
  /** Anything whose effects stay inside, in a jail. */
  | { readonly kind: "effects" };

/** How far it reaches. Minutes count in this workspace, in any session. */
export type Extent =
  | { readonly kind: "session" | "directory" | "repository" | "forever" }
  | { readonly kind: "minutes"; readonly minutes: number };

export interface Scope {
  readonly match: Match;
  readonly extent: Extent;
}

/** Thirty days. */
export const MAX_SCOPE_MINUTES = 43_200;

const PATTERN = "pattern:";
const EXTENTS = ["session", "directory", "repository", "forever"] as const;

/**
 * `<match>@<extent>`, one string, because it is what a device signs. The extent is what stands after the last `@`: a pattern
 * may hold others. Undefined when it isn't one.
 */
export function readScope(text: string): Scope | undefined {
  const at = text.lastIndexOf("@");
  if (at < 0) return undefined;
  const match = readMatch(text.slice(0, at));
  const extent = readExtent(text.slice(at + 1));
  return match === undefined || extent === undefined ? undefined : { match, extent };
}

export function writeScope({ match, extent }: Scope): string {
  const what = match.kind === "pattern" ? `${PATTERN}${match.pattern}` : match.kind;
  return `${what}@${extent.kind === "minutes" ? `${extent.minutes}m` : extent.kind}`;
}

function readMatch(text: string): Match | undefined {
  if (text === "exact" || text === "program" || text === "effects") return { kind: text };
  if (!text.startsWith(PATTERN)) return undefined;
  const pattern = text.slice(PATTERN.length);
  // As it would be kept: what is signed and what is saved must be the same.
  return pattern === "" || pattern !== pattern.trim() ? undefined : { kind: "pattern", pattern };
}

function readExtent(text: string): Extent | undefined {
  const kind = EXTENTS.find((one) => one === text);
  if (kind !== undefined) return { kind };
  const minutes = /^[1-9]\d{0,4}m$/.test(text) ? Number(text.slice(0, -1)) : undefined;
  return minutes !== undefined && minutes <= MAX_SCOPE_MINUTES ? { kind: "minutes", minutes } : undefined;
}
