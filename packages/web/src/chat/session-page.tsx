import type { AgentView, ChatView } from "@countersign/protocol/hub";
import type { RefObject, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApprovalCard } from "../approval/index.ts";
import { type CardEnd, type RpcClient, RpcError, useHub } from "../hub/index.ts";
import { hrefOf } from "../navigation/index.ts";
import { Button, Empty, Notice, VisibleText } from "../ui/index.ts";
import { ChatSession } from "./chat-session.ts";
import { Composer, draftOf } from "./composer.tsx";
import { ItemView } from "./item-view.tsx";
import { ModelNotice } from "./model-notice.tsx";

interface Props {
  rpc: RpcClient;
  sessionKey: string;
  chat: ChatView | undefined;
  agents: readonly AgentView[] | undefined;
}

/** A chat: its messages, the agent's activity and approvals, and the message field. */
export function SessionPage({ rpc, sessionKey, chat, agents }: Props): VNode | null {
  const [session, setSession] = useState<ChatSession>();
  useEffect(() => {
    const opened = new ChatSession(rpc, sessionKey);
    setSession(opened);
    return () => opened.close();
  }, [rpc, sessionKey]);
  if (session === undefined) return null;
  const agent = agents?.find(({ name }) => name === chat?.agent);
  return (
    <article class="chat-session" aria-label="Conversation">
      <Head session={session} chat={chat} agent={agent} />
      <Log session={session} agent={chat?.agent ?? "agent"} />
      <Foot rpc={rpc} session={session} agent={agent} />
    </article>
  );
}

function Head({
  session,
  chat,
  agent,
}: {
  session: ChatSession;
  chat: ChatView | undefined;
  agent: AgentView | undefined;
}): VNode {
  return (
    <header class="chat-head">
      <a class="chat-back" href={hrefOf("chat")}>
        ‹ Chats
      </a>
      <div class="chat-title">
        <h1>
          <VisibleText text={chat?.title ?? "New chat"} />
        </h1>
        {agent && (
          <p class="quiet small">
            <VisibleText text={agent.name} /> · <VisibleText text={agent.model} /> · profile{" "}
            <VisibleText text={agent.profile} />
          </p>
        )}
      </div>
      {session.runId.value !== undefined && <AbortButton key={session.runId.value} session={session} />}
    </header>
  );
}

/** Withdraws the run's approvals and kills its processes. The end is shown when the hub reports it. */
function AbortButton({ session }: { session: ChatSession }): VNode {
  const [isStopping, setStopping] = useState(false);
  const abort = async () => {
    setStopping(true);
    try {
      await session.abort();
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause;
      setStopping(false);
    }
  };
  return (
    <Button kind="danger" disabled={isStopping} onClick={abort}>
      {isStopping ? "Stopping…" : "Stop"}
    </Button>
  );
}

function Log({ session, agent }: { session: ChatSession; agent: string }): VNode {
  const box = useRef<HTMLElement>(null);
  const items = session.items.value;
  const isRunning = session.runId.value !== undefined;
  useFollowEnd(box, items);
  return (
    /* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */
    <section class="chat-log" ref={box} tabIndex={0} aria-label="What was said">
      <div class="chat-inner">
        {session.hasEarlier && <Earlier session={session} />}
        {items?.length === 0 && !isRunning && <Empty title="Nothing was said here yet." />}
        <div role="log">
          <ol class="chat-items">
            {items?.map((item) => (
              <ItemView key={item.key} item={item} agent={agent} />
            ))}
          </ol>
        </div>
        <SessionApprovals sessionKey={session.sessionKey} isRunning={isRunning} />
        {isRunning && <Busy sessionKey={session.sessionKey} agent={agent} />}
      </div>
    </section>
  );
}

function Busy({ sessionKey, agent }: { sessionKey: string; agent: string }): VNode {
  const waits = useSessionCards(sessionKey).some(({ end }) => end === undefined);
  return (
    <p class="chat-busy quiet small" role="status">
      <span class="chat-dots" aria-hidden="true">
        ●
      </span>{" "}
      <VisibleText text={agent} /> {waits ? "waits for an answer" : "is at work"}
    </p>
  );
}

function Earlier({ session }: { session: ChatSession }): VNode {
  const [problem, setProblem] = useState<string>();
  const read = async () => {
    try {
      await session.readEarlier();
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause;
      setProblem(cause.message);
    }
  };
  return (
    <div class="chat-earlier">
      <Button onClick={read}>Earlier messages</Button>
      {problem && <Notice kind="problem">{problem}</Notice>}
    </div>
  );
}

function Foot({ rpc, session, agent }: { rpc: RpcClient; session: ChatSession; agent: AgentView | undefined }): VNode {
  const draft = draftOf(session.sessionKey);
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const send = async (message: string) => {
    setSending(true);
    setProblem(undefined);
    try {
      await session.send(message);
      // Unless the draft has changed since.
      if (draft.value === message) draft.value = "";
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause;
      setProblem(cause.code === "DISCONNECTED" ? `${cause.message} Look whether it was sent.` : cause.message);
    } finally {
      setSending(false);
    }
  };
  return (
    <footer class="chat-foot">
      {agent && <ModelNotice agent={agent} />}
      {session.problem.value && <Notice kind="problem">{session.problem.value}</Notice>}
      {problem && (
        <Notice kind="problem">
          <VisibleText text={problem} />
        </Notice>
      )}
      <Composer
        draft={draft}
        label="Message"
        blocked={whyBlocked(rpc, { isSending, isRunning: session.runId.value !== undefined })}
        onSend={send}
      />
    </footer>
  );
}

function whyBlocked(rpc: RpcClient, now: { isSending: boolean; isRunning: boolean }): string | undefined {
  if (rpc.state.value !== "live") return "There’s no connection to the hub.";
  if (now.isRunning) return "The agent is still answering: wait, or stop it.";
  return now.isSending ? "Sending…" : undefined;
}

/** The approvals of this session's agent, as the same cards as in the inbox. Answered ones show their result while the run continues. */
function SessionApprovals({ sessionKey, isRunning }: { sessionKey: string; isRunning: boolean }): VNode | null {
  const shown = useSessionCards(sessionKey).filter(({ end }) => end === undefined || isRunning);
  if (shown.length === 0) return null;
  return (
    <div class="chat-approvals">
      {shown.map(({ id, end }) => (end ? <Decided key={id} end={end} /> : <InlineApproval key={id} id={id} />))}
    </div>
  );
}

/** This session's approvals that someone saw, the oldest first. */
function useSessionCards(sessionKey: string): readonly { readonly id: string; readonly end: CardEnd | undefined }[] {
  const { approvals } = useHub();
  return approvals.ids.value.flatMap((id) => {
    const card = approvals.get(id)?.value;
    return card?.payload.agentId === sessionKey ? [{ id, end: card.end }] : [];
  });
}

function Decided({ end }: { end: CardEnd }): VNode {
  return (
    <p class="chat-decided quiet small" role="status">
      <VisibleText text={wordsFor(end)} />
    </p>
  );
}

function wordsFor(end: CardEnd): string {
  if (end.kind === "gone") return "It was answered while the hub was out of reach.";
  if (end.kind === "expired") return "Nobody answered in time.";
  const { decision, name, reason } = end.closed;
  const by = name === undefined ? "" : ` by ${name}`;
  if (decision === undefined) return "It no longer waits.";
  if (decision === "deny") return `Denied${by}${reason === undefined ? "." : `: ${reason}`}`;
  return decision === "allow-once" ? `Allowed once${by}.` : `Allowed${by}, and from now on.`;
}

/** The inbox's card inside another view. */
function InlineApproval({ id }: { id: string }): VNode | null {
  const card = useHub().approvals.get(id)?.value;
  return card === undefined ? null : <ApprovalCard card={card} isInline />;
}

/** Distance from the end that counts as being at the end. */
const NEAR_PX = 24;

/** Keeps the end of growing content in view unless the person scrolled up. `grown` changes whenever the content has grown. */
function useFollowEnd(box: RefObject<HTMLElement | null>, grown: unknown): void {
  const follows = useRef(true);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const toEnd = () => {
      if (follows.current) element.scrollTop = element.scrollHeight;
    };
    const look = () => {
      follows.current = element.scrollTop + element.clientHeight >= element.scrollHeight - NEAR_PX;
    };
    // The content may grow on its own: live output, a card that opens.
    const sizes = new ResizeObserver(toEnd);
    sizes.observe(element);
    for (const child of element.children) sizes.observe(child);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [box]);
  useLayoutEffect(() => {
    if (follows.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [grown]);
}
