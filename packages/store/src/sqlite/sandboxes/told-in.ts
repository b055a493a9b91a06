import type { Receipt } from "@countersign/receipts";

/** What a receipt of a sandbox's says of time, and from which side. The emitter's clock says it: it is a claim, but never of a later time than the receipt's own. */
export interface ToldIn {
  /** `inside`: by the proxy; `outside`: by who watches from the host. */
  readonly side: "inside" | "outside";
  /** When it began, as far as that is said. */
  readonly atMs: number;
  /** When it was told: for a call, when it was over. */
  readonly toldMs: number;
  /** Whether something of the sandbox's own ran for as long as this call: what may send. */
  readonly runs: boolean;
  readonly correlator: string | null;
  readonly succeeded: boolean;
  readonly dropped: number;
  readonly flow: { readonly isBlocked: boolean; readonly isFinal: boolean; readonly isToRelay: boolean } | null;
}

const RUNS: ReadonlySet<string> = new Set(["system.command.execute", "system.code.execute"]);

export function toldIn(raw: string, recordedMs: number): ToldIn {
  const { issuer, credentialSubject } = JSON.parse(raw) as Receipt;
  const { action, outcome, correlation_id } = credentialSubject;
  const runtime = said(issuer.runtime);
  const binding = said(runtime.binding);
  const toldMs = timeIn(runtime.emittedAt, recordedMs);
  const [flow, gap] = [said(binding.flow), said(binding.gap)];
  const isFlow = action.type === "network.egress.observed" && typeof flow.started_at === "string";
  const dropped = said(action.emitter_metadata).drop_count;
  return {
    ...{ side: runtime.attestation === "host-observed" ? "outside" : "inside", toldMs },
    atMs: timeIn(flow.started_at ?? gap.from ?? binding.started_at, toldMs),
    // What `/proxy/<port>` leads to is a server in the sandbox that may ask others.
    runs: runtime.decision !== "denied" && (RUNS.has(action.type) || binding.endpoint === "/proxy"),
    ...{ correlator: correlation_id ?? null, succeeded: outcome.status === "success" },
    dropped: typeof dropped === "number" && Number.isSafeInteger(dropped) ? dropped : 0,
    flow: isFlow
      ? { isBlocked: flow.verdict === "blocked", isFinal: flow.part === "final", isToRelay: flow.service === "relay" }
      : null,
  };
}

/** What isn't a time, or is later than it can be, is the latest that it can be. */
function timeIn(claimed: unknown, latestMs: number): number {
  const atMs = typeof claimed === "string" ? Date.parse(claimed) : Number.NaN;
  return atMs <= latestMs ? atMs : latestMs;
}

function said(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
