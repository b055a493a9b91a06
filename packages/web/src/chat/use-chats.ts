import { type AgentView, agentViewSchema, type ChatView, chatListSchema } from "@countersign/protocol/hub";
import { useEffect, useState } from "preact/hooks";
import * as z from "zod";
import { type RpcClient, RpcError } from "../hub/index.ts";

const agentsSchema = z.object({ agents: z.array(agentViewSchema) });

export interface Chats {
  /** Undefined until the hub has told them. */
  readonly chats: readonly ChatView[] | undefined;
  readonly agents: readonly AgentView[] | undefined;
  readonly problem: string | undefined;
}

/** The sessions with the hub's own agents, and these. Asked again when something was said or ended where we listen. */
export function useChats(rpc: RpcClient): Chats {
  const [chats, setChats] = useState<readonly ChatView[]>();
  const [agents, setAgents] = useState<readonly AgentView[]>();
  const [problem, setProblem] = useState<string>();
  const isLive = rpc.state.value === "live";
  useEffect(() => {
    if (!isLive) return;
    let isOver = false;
    const failed = (cause: unknown) => {
      if (!(cause instanceof RpcError)) throw cause;
      // Lost: the next connection asks again.
      if (!isOver && cause.code !== "DISCONNECTED") setProblem(cause.message);
    };
    const ask = async () => {
      const { chats: told } = await rpc.call("chat.list", {}, chatListSchema);
      if (isOver) return;
      setChats(told);
      setProblem(undefined);
    };
    rpc.call("agents.list", {}, agentsSchema).then(({ agents: told }) => !isOver && setAgents(told), failed);
    ask().catch(failed);
    const stop = rpc.onEvent(({ event }) => {
      if (event === "chat.user" || event === "chat.final" || event === "chat.error") ask().catch(failed);
    });
    return () => {
      isOver = true;
      stop();
    };
  }, [rpc, isLive]);
  return { chats, agents, problem };
}
