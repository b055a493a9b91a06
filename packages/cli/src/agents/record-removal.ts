import { agentChangedSchema, type HookedAgent } from "@countersign/protocol/access";
import type { AgentScope } from "@countersign/vocabulary";
import { CliError } from "../base/index.ts";
import { callHttp, findHub, type HttpHub } from "../connect/index.ts";
import { signatureOver } from "../hub-calls/index.ts";

/** Whether a receipt says that our lines are taken out, and why there's none. */
export type Removal = { readonly recorded: true } | { readonly recorded: false; readonly why: string };

interface Taken {
  readonly agent: HookedAgent;
  readonly scope: AgentScope;
  readonly settings: string;
}

/**
 * Takes our lines out with the receipt before it, as the page's button does: the gap that follows has a beginning. Throws, and does nothing,
 * where a hub runs and refuses: paused, or without the signature that it takes. Without a hub there's nobody to record it.
 */
export async function removeOnRecord(taken: Taken, home: string, remove: () => void): Promise<Removal> {
  const removal = await record(taken, home);
  try {
    remove();
  } catch (cause) {
    if (removal.recorded && cause instanceof CliError) await record({ ...taken, problem: cause.message }, home);
    throw cause;
  }
  return removal;
}

async function record(taken: Taken & { readonly problem?: string }, home: string): Promise<Removal> {
  // A root's command would leave files of root's in the user's home.
  if (taken.scope === "managed") return { recorded: false, why: "the machine's settings aren't a hub's to change" };
  try {
    await tellHub(taken, await findHub({ home }), home);
    return { recorded: true };
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    if (cause.code === "NO_HUB") return { recorded: false, why: "no hub runs" };
    if (cause.code === "UNREACHABLE") return { recorded: false, why: cause.message.replace(/\.$/, "") };
    throw cause;
  }
}

async function tellHub({ agent, scope: _, ...told }: Taken, hub: HttpHub, home: string): Promise<void> {
  const change = { approvalId: `agent:${agent}`, content: { agent, wish: "disconnect", ...told } };
  const body = { ...told, ...(await signatureOver(change, hub, { home })) };
  await callHttp(hub, { method: "DELETE", path: `/api/v1/agents/${agent}/connect`, body }, agentChangedSchema);
}
