import {
  type Envelope,
  ExecRunEndedAction,
  ExecRunStartedAction,
  type RunEnded,
  type RunView,
  runEndedSchema,
  runViewSchema,
} from "@countersign/protocol/proposals";
import { GatewayError } from "../errors/index.ts";
import type { GatewayClient } from "../gateway/index.ts";

export interface FollowRunsOptions {
  /** What runs now, the oldest first; each time that it changes. Commands are an agent's: show them as text. */
  readonly onRuns: (runs: readonly RunView[]) => void;
  /** One of them has ended. What ended while the connection was away isn't told. */
  readonly onEnded?: ((ended: RunEnded) => void) | undefined;
  /** The hub refuses: UNAUTHORIZED, or METHOD_NOT_FOUND from one that is older. */
  readonly onError: (error: GatewayError) => void;
}

/** Follows what runs, also over lost connections: after each the hub is asked anew. Returns how to stop. */
export function followRuns(client: GatewayClient, { onRuns, onEnded, onError }: FollowRunsOptions): () => void {
  let running = new Map<string, RunView>();
  let isOver = false;
  const show = () => onRuns([...running.values()]);
  const ask = async () => {
    try {
      const { runs } = await client.request(client.hubDeviceId ?? "", "followRuns", {});
      if (isOver) return;
      running = new Map(runs.map((run) => [run.key, run]));
      show();
    } catch (error) {
      // It is asked again when the connection is back.
      if (isOver || (error instanceof GatewayError && error.code === "DISCONNECTED")) return;
      if (!(error instanceof GatewayError)) throw error;
      onError(error);
    }
  };
  const hear = ({ from, action, payload }: Envelope) => {
    if (from !== client.hubDeviceId) return;
    const run = action === ExecRunStartedAction ? runViewSchema.safeParse(payload).data : undefined;
    const ended = action === ExecRunEndedAction ? runEndedSchema.safeParse(payload).data : undefined;
    if (run && !running.has(run.key)) {
      running.set(run.key, run);
      show();
    }
    if (!ended) return;
    if (running.delete(ended.key)) show();
    onEnded?.(ended);
  };
  const stops = [
    client.onMessage(hear),
    client.onStateChange((state) => {
      if (state === "connected") void ask();
    }),
  ];
  if (client.state === "connected") void ask();
  return () => {
    isOver = true;
    for (const stop of stops) stop();
    if (client.state !== "connected") return;
    // Should it fail, the connection is gone and the following with it.
    client.request(client.hubDeviceId ?? "", "unfollowRuns", {}).catch(() => undefined);
  };
}
