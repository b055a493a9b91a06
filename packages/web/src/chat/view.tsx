import { type AgentView, agentViewSchema, type ChatView as Chat, chatListSchema } from "@countersign/protocol/hub";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import * as z from "zod";
import { RpcClient, RpcError, useHub } from "../hub/index.ts";
import { hrefOf, route } from "../navigation/index.ts";
import { ago } from "../text/index.ts";
import { Empty, Notice, nowMs, SideList, VirtualList, VisibleText } from "../ui/index.ts";
import { NewChat } from "./new-chat.tsx";
import { SessionPage } from "./session-page.tsx";
import "./view.css";

const ROW_PX = 64;

/** Chats with the hub's own agents. */
export default function ChatView(): VNode | null {
  const { device } = useHub();
  const [rpc, setRpc] = useState<RpcClient>();
  useEffect(() => {
    const opened = new RpcClient(device.token);
    setRpc(opened);
    return () => opened.close();
  }, [device]);
  return rpc ? <Chats rpc={rpc} /> : null;
}

function Chats({ rpc }: { rpc: RpcClient }): VNode {
  const hub = useHub();
  const { chats, agents, problem } = useChats(rpc);
  const [open] = route.value.rest;
  // The page's other connection is back, so this one needn't wait for its next retry.
  const isHubLive = hub.state.value === "live";
  useEffect(() => {
    if (isHubLive) rpc.retry();
  }, [isHubLive, rpc]);
  return (
    <div class={`chats ${open === undefined ? "" : "has-open"}`}>
      <SideList class="chats-list" aria-label="Chats">
        <a class="chats-new" href={hrefOf("chat", ["new"])}>
          + New chat
        </a>
        {problem && <Notice kind="problem">{problem}</Notice>}
        {chats?.length === 0 && <Empty title="No chats yet." />}
        {chats !== undefined && chats.length > 0 && (
          <VirtualList
            items={chats}
            keyOf={({ sessionKey }) => sessionKey}
            rowPx={ROW_PX}
            label="Chats"
            render={(chat) => <Row chat={chat} isOpen={chat.sessionKey === open} />}
          />
        )}
      </SideList>
      {open === undefined || open === "new" ? (
        <NewChat rpc={rpc} agents={agents} />
      ) : (
        <SessionPage
          key={open}
          rpc={rpc}
          sessionKey={open}
          chat={chats?.find(({ sessionKey }) => sessionKey === open)}
          agents={agents}
        />
      )}
    </div>
  );
}

function Row({ chat, isOpen }: { chat: Chat; isOpen: boolean }): VNode {
  const { sessionKey, agent, title, lastAtMs, runId } = chat;
  return (
    <a class="side-row" href={hrefOf("chat", [sessionKey])} aria-current={isOpen ? "true" : undefined}>
      <span class="one-line">
        <VisibleText text={title ?? "No messages yet"} />
      </span>
      <span class="one-line quiet small">
        <VisibleText text={agent} /> · {runId === undefined ? ago(lastAtMs, nowMs.value) : "at work"}
      </span>
    </a>
  );
}

const agentsSchema = z.object({ agents: z.array(agentViewSchema) });

interface Chats {
  /** Undefined until the hub has listed them. */
  readonly chats: readonly Chat[] | undefined;
  readonly agents: readonly AgentView[] | undefined;
  readonly problem: string | undefined;
}

/** The sessions with the hub's agents, and the agents. Refreshed when something is said or ends in an open session. */
function useChats(rpc: RpcClient): Chats {
  const [chats, setChats] = useState<readonly Chat[]>();
  const [agents, setAgents] = useState<readonly AgentView[]>();
  const [problem, setProblem] = useState<string>();
  const isLive = rpc.state.value === "live";
  useEffect(() => {
    if (!isLive) return;
    let isOver = false;
    const failed = (cause: unknown) => {
      if (!(cause instanceof RpcError)) throw cause;
      // Disconnected: the next connection retries.
      if (!isOver && cause.code !== "DISCONNECTED") setProblem(cause.message);
    };
    const ask = async () => {
      const { chats: listed } = await rpc.call("chat.list", {}, chatListSchema);
      if (isOver) return;
      setChats(listed);
      setProblem(undefined);
    };
    rpc.call("agents.list", {}, agentsSchema).then(({ agents: listed }) => !isOver && setAgents(listed), failed);
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
