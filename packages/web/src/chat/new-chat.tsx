import { type AgentView, chatSentSchema, sessionKeySchema } from "@countersign/protocol/hub";
import { visible } from "@countersign/protocol/text";
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { type RpcClient, RpcError } from "../hub/index.ts";
import { goTo, hrefOf } from "../navigation/index.ts";
import { Notice, VisibleText } from "../ui/index.ts";
import { Composer, draftOf } from "./composer.tsx";
import { ModelNotice } from "./model-notice.tsx";

/** Starts a chat. The session is created with its first message, so an unsent one leaves nothing behind. */
export function NewChat({ rpc, agents }: { rpc: RpcClient; agents: readonly AgentView[] | undefined }): VNode {
  const [name, setName] = useState<string>();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  /** The session already exists if only its first message failed. */
  const made = useRef<{ agent: string; sessionKey: string } | undefined>(undefined);
  const agent = agents?.find((each) => each.name === name) ?? agents?.[0];
  const draft = draftOf("");
  const send = async (message: string) => {
    if (agent === undefined) return;
    setSending(true);
    setProblem(undefined);
    try {
      if (made.current?.agent !== agent.name) {
        const { sessionKey } = await rpc.call("sessions.create", { agent: agent.name }, sessionKeySchema);
        made.current = { agent: agent.name, sessionKey };
      }
      const { sessionKey } = made.current;
      await rpc.call("chat.send", { sessionKey, message }, chatSentSchema);
      draft.value = "";
      goTo(hrefOf("chat", [sessionKey]), { replace: location.hash.endsWith("/new") });
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause;
      setProblem(cause.message);
    } finally {
      setSending(false);
    }
  };
  const isLive = rpc.state.value === "live";
  const blocked = whyBlocked({ isLive, isSending, hasAgent: agent !== undefined });
  return (
    <article class="chat-session new" aria-label="New chat">
      <header class="chat-head">
        <a class="chat-back" href={hrefOf("chat")}>
          ‹ Chats
        </a>
        <div class="chat-title">
          <h1>New chat</h1>
        </div>
      </header>
      <div class="chat-new">
        <h2>Chat with an agent that the hub runs</h2>
        <p class="quiet">
          You are asked here about the commands it wants to run, until you allow them for longer. Everything is
          recorded, as for any agent.
        </p>
        {agents && agents.length > 1 && (
          <label class="chat-agent">
            Agent
            <select value={agent?.name} onChange={({ currentTarget }) => setName(currentTarget.value)}>
              {agents.map((each) => (
                <option key={each.name} value={each.name}>
                  {`${each.name} (${each.model})`}
                </option>
              ))}
            </select>
          </label>
        )}
        {agent && (
          <dl class="chat-facts small">
            <dt>Model</dt>
            <dd>
              <VisibleText text={agent.model} />
            </dd>
            <dt>Profile</dt>
            <dd>
              <VisibleText text={agent.profile} />
            </dd>
            <dt>Works in</dt>
            <dd class="mono">
              <VisibleText text={agent.workspace} />
            </dd>
            <dt>Tools</dt>
            <dd>
              <VisibleText text={agent.tools.join(", ")} />
            </dd>
          </dl>
        )}
        {agent && <ModelNotice agent={agent} />}
      </div>
      <footer class="chat-foot">
        {problem && (
          <Notice kind="problem">
            <VisibleText text={problem} />
          </Notice>
        )}
        <Composer
          draft={draft}
          label={`Message to ${visible(agent?.name ?? "the agent")}`}
          blocked={blocked}
          onSend={send}
        />
      </footer>
    </article>
  );
}

function whyBlocked({ isLive, isSending, hasAgent }: { isLive: boolean; isSending: boolean; hasAgent: boolean }) {
  if (!isLive) return "There’s no connection to the hub.";
  if (!hasAgent) return "The list of agents hasn’t loaded yet.";
  return isSending ? "Sending…" : undefined;
}
