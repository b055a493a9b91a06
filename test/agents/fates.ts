import assert from "node:assert/strict";
import type { Place } from "../../packages/cli/test/countersign.ts";

/** What the ledger says became of one proposal. */
export interface Fate {
  readonly verdict: string;
  readonly by: string;
  readonly enforcement: string;
  readonly ended?: string;
  readonly reportedBy?: string;
}

interface Runtime {
  readonly entry?: string;
  readonly proposal?: string;
  readonly enforcement?: string;
  readonly decision?: { readonly verdict: string; readonly by: string };
  readonly outcome?: { readonly kind: string; readonly exitCode?: number; readonly reportedBy?: string };
}

/** In the order in which they were decided, from signed receipts alone. */
export async function fatesOf(place: Place): Promise<Fate[]> {
  const { code, stdout, stderr } = await place.run("receipts", "export", "--format", "jsonl");
  assert.equal(code, 0, stderr);
  const fates = new Map<string, Fate>();
  for (const line of stdout.split("\n").filter(Boolean)) {
    const {
      proposal,
      enforcement = "",
      decision,
      outcome,
    } = (JSON.parse(line) as { issuer: { runtime: Runtime } }).issuer.runtime;
    if (proposal === undefined) continue;
    const fate = fates.get(proposal);
    if (decision) fates.set(proposal, { verdict: decision.verdict, by: decision.by, enforcement });
    if (outcome && fate) fates.set(proposal, { ...fate, ...endOf(outcome) });
  }
  return [...fates.values()];
}

function endOf({ kind, exitCode, reportedBy }: NonNullable<Runtime["outcome"]>): Partial<Fate> {
  const ended = exitCode === undefined ? kind : `${kind} ${exitCode}`;
  return reportedBy === undefined ? { ended } : { ended, reportedBy };
}
