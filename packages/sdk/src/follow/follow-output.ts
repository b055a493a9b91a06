import {
  type ExecOutput,
  ExecOutputAction,
  type ExecOutputEnded,
  ExecOutputEndedAction,
  execOutputEndedSchema,
  execOutputSchema,
} from "@countersign/protocol/proposals";
import { GatewayError } from "../errors/index.ts";
import type { GatewayClient } from "../gateway/index.ts";

export interface FollowOptions {
  /** Each piece as it comes. Output is an agent's: show it as text. */
  readonly onOutput: (event: ExecOutput) => void;
  /** Goes on after the event with this id. */
  readonly after?: string | undefined;
  /** Ends the following, and rejects with ABORTED; the run goes on. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Follows what a run writes until its end, also over lost connections: after each the hub is asked to go on where it was.
 * Resolves with how it ended. Rejects when the hub refuses: NOT_FOUND, UNAUTHORIZED, LIMIT.
 */
export async function followOutput(
  client: GatewayClient,
  proposalId: string,
  { onOutput, after, signal }: FollowOptions,
): Promise<ExecOutputEnded> {
  const { promise, resolve, reject } = Promise.withResolvers<ExecOutputEnded>();
  let last = after;
  const ask = () => {
    const hub = client.hubDeviceId ?? "";
    client
      .request(hub, "followOutput", { proposalId, ...(last === undefined ? {} : { after: last }) })
      .catch((error) => {
        // It is asked again when the connection is back.
        if (!(error instanceof GatewayError && error.code === "DISCONNECTED")) reject(error);
      });
  };
  const stopListening = client.onMessage(({ from, action, payload }) => {
    if (from !== client.hubDeviceId) return;
    const event = action === ExecOutputAction ? execOutputSchema.safeParse(payload).data : undefined;
    const end = action === ExecOutputEndedAction ? execOutputEndedSchema.safeParse(payload).data : undefined;
    if (end?.proposalId === proposalId) resolve(end);
    if (event?.proposalId !== proposalId) return;
    last = event.id;
    onOutput(event);
  });
  const stopWatching = client.onStateChange((state) => {
    if (state === "connected") ask();
    if (state === "closed" || state === "disconnected")
      reject(new GatewayError("DISCONNECTED", "The client was disconnected"));
  });
  const onAbort = () => reject(new GatewayError("ABORTED", "The following was ended", { cause: signal?.reason }));
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  else if (client.state === "connected") ask();
  try {
    return await promise;
  } finally {
    stopListening();
    stopWatching();
    signal?.removeEventListener("abort", onAbort);
    if (signal?.aborted && client.state === "connected") unfollow(client, proposalId);
  }
}

function unfollow(client: GatewayClient, proposalId: string): void {
  // Should it fail, the connection is gone and the following with it.
  client.request(client.hubDeviceId ?? "", "unfollowOutput", { proposalId }).catch(() => undefined);
}
