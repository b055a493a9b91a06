import type { ExecApprovalRequestPayload, ScopeOffer } from "@countersign/protocol/proposals";
import { CliError, EXIT, type GlobalOptions } from "../base/index.ts";
import { findHub, type HttpHub } from "../connect/index.ts";
import { listApprovals, listScopes, pickApproval, readHubState, revealApproval } from "../hub-calls/index.ts";
import { approvalLines, scopeLines } from "../show/index.ts";
import { printJson, printLines, shortId } from "../terminal/index.ts";

interface PendingOptions extends GlobalOptions {
  readonly count?: boolean;
  readonly scopes?: boolean;
  readonly reveal?: string;
}

export async function pending(options: PendingOptions): Promise<number> {
  const hub = await findHub(options);
  if (options.count) {
    // Not by listing: a status bar that counts has shown nobody anything, and a listing is a delivery.
    printJson((await readHubState(hub)).pending);
    return EXIT.ok;
  }
  const { reveal } = options;
  const approvals = reveal === undefined ? await listApprovals(hub) : [await revealOne(hub, reveal)];
  const scopes = options.scopes ? await offersFor(hub, approvals) : undefined;
  if (options.json) {
    printJson(scopes ? approvals.map((card) => ({ ...card, scopes: scopes.get(card.approvalId) ?? [] })) : approvals);
  } else printLines(pendingLines(approvals, Date.now(), scopes));
  return EXIT.ok;
}

async function revealOne(hub: HttpHub, id: string): Promise<ExecApprovalRequestPayload> {
  return await revealApproval(hub, (await pickApproval(hub, id)).approvalId);
}

type Offers = ReadonlyMap<string, readonly ScopeOffer[]>;

/** One that was answered while the others were looked at has none. */
async function offersFor(hub: HttpHub, approvals: readonly ExecApprovalRequestPayload[]): Promise<Offers> {
  const found = new Map<string, readonly ScopeOffer[]>();
  for (const { approvalId } of approvals) {
    try {
      found.set(approvalId, await listScopes(hub, approvalId));
    } catch (cause) {
      if (!(cause instanceof CliError) || cause.code !== "NOT_FOUND") throw cause;
    }
  }
  return found;
}

function pendingLines(approvals: readonly ExecApprovalRequestPayload[], nowMs: number, scopes?: Offers): string[] {
  if (approvals.length === 0) return ["Nothing waits."];
  const ids = approvals.map(({ approvalId }) => approvalId);
  const cards = approvals.map((approval) => {
    const short = shortId(approval.approvalId, ids);
    const more = scopes ? scopeLines(scopes.get(approval.approvalId) ?? [], short) : [];
    return [...approvalLines(approval, { shortId: short, nowMs }), ...more.map((line) => `  ${line}`)];
  });
  return [`${approvals.length} waiting`, ...cards.flatMap((card) => ["", ...card])];
}
