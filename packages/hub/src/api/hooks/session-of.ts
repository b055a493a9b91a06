import type { HookAgent, HookCall } from "./calls/index.ts";

/** An agent's conversation: its own name for it, under the agent's, so that no two agents share one. */
export function sessionOf(agent: HookAgent, { sessionId }: Pick<HookCall, "sessionId">): string {
  return `${agent}:${sessionId}`;
}
