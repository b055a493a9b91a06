import type { HookedAgent } from "@countersign/protocol/access";

/** A use of a tool that an agent's own transcript tells of. */
export interface AgentCall {
  readonly agent: HookedAgent;
  readonly sessionId: string;
  /** The agent's own name for this one use, where it has one. */
  readonly callId: string | undefined;
  /** As people call it: Bash, Write, … */
  readonly tool: string;
  /** What the shell was given; undefined for other tools. */
  readonly command: string | undefined;
  /** Undefined where the transcript doesn't say. */
  readonly atMs: number | undefined;
  readonly cwd: string | undefined;
  /** The transcript, and its line. */
  readonly at: { readonly file: string; readonly line: number };
}

/** What one line of a transcript says, and what lines before it have said. */
export type LineReader = (line: Readonly<Record<string, unknown>>) => Omit<AgentCall, "agent" | "at">[];

type Loose = Readonly<Record<string, unknown>>;

export function asRecord(value: unknown): Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Loose) : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function asTime(value: unknown): number | undefined {
  const ms = typeof value === "number" ? value : typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) ? ms : undefined;
}
