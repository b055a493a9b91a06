import { STARTED_OUTCOMES } from "@countersign/protocol/describe";
import { ExecApprovalExpiredAction, type ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { GatewayError } from "@countersign/sdk";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApprovalCard } from "../approval/index.ts";
import { type PendingApprovals, useHub, useQuery } from "../hub/index.ts";
import { goTo, hrefOf, route } from "../navigation/index.ts";
import { elide } from "../text/index.ts";
import { Empty, lazy, type Target, useKeys, VirtualList, VisibleText } from "../ui/index.ts";
import { waitingWords } from "./list-rows.ts";
import { CardRow, ExpiredRow } from "./row.tsx";
import { useNewBelow } from "./use-new-below.ts";
import { useRows, useTidy } from "./use-rows.ts";
import "./inbox.css";

const InboxEmpty = lazy(() => import("./inbox-empty.tsx"));
const KeysHelp = lazy(() => import("./keys-help.tsx"));
const ROW_PX = 104;

/** The pending approvals, with the open one next to them. */
export function InboxView(): VNode {
  const { approvals } = useHub();
  const open = route.value.view === "approval" ? route.value.rest[0] : undefined;
  const ids = approvals.ids.value;
  const expired = useExpired();
  const late = useMemo(() => new Set(expired.map(({ approvalId }) => approvalId)), [expired]);
  const list = useRef<HTMLDivElement>(null);
  const rows = useRows(list, expired);
  const below = useNewBelow(rows);
  const [target, setTarget] = useState<Target>();
  const [isHelped, setHelped] = useState(false);
  useTidy(list, open);

  const select = (by: number) => {
    const from = rows.findIndex(({ id }) => id === open);
    const to = from < 0 ? (by > 0 ? 0 : rows.length - 1) : from + by;
    const row = rows[to];
    if (row === undefined) return;
    setTarget({ index: to });
    goTo(hrefOf("approval", [row.id]), { replace: open !== undefined });
  };
  const waiting = approvals.waiting.value;
  const next = useMemo(() => ids.find((id) => id !== open && isOpen(approvals, id)), [ids, open, waiting]);
  const goToNext = () => {
    if (next !== undefined) goTo(hrefOf("approval", [next]), { replace: open !== undefined });
  };
  const agents = useMemo(() => {
    const asking = ids.filter((id) => isOpen(approvals, id)).map((id) => approvals.get(id)?.peek().payload.agentName);
    return new Set(asking).size;
  }, [ids, waiting]);
  useKeys({
    ArrowDown: () => select(1),
    j: () => select(1),
    ArrowUp: () => select(-1),
    k: () => select(-1),
    n: goToNext,
    "?": () => setHelped(true),
    Escape: open === undefined ? undefined : () => goTo(hrefOf("inbox")),
  });

  return (
    <div class={`inbox ${open === undefined ? "" : "has-open"}`}>
      <section class="inbox-list" aria-label="Inbox">
        <div class="inbox-head">
          <h1>{waitingWords(waiting, agents)}</h1>
          <button type="button" class="keys-button" aria-keyshortcuts="?" onClick={() => setHelped(true)}>
            <kbd>?</kbd> <span>keys</span>
          </button>
        </div>
        <div class="inbox-rows" ref={list}>
          {rows.length === 0 ? (
            <InboxEmpty />
          ) : (
            <VirtualList
              items={rows}
              keyOf={({ id }) => id}
              rowPx={ROW_PX}
              label="What waits"
              target={target}
              onSeen={below.seen}
              render={(row) =>
                row.kind === "card" ? (
                  <CardRow id={row.id} isOpen={row.id === open} isExpired={late.has(row.id)} />
                ) : (
                  <ExpiredRow payload={row.payload} isOpen={row.id === open} />
                )
              }
            />
          )}
          {below.count > 0 && (
            <button type="button" class="new-below" onClick={() => setTarget({ index: below.first(), isFirst: true })}>
              {below.count.toLocaleString("en")} new ↓
            </button>
          )}
        </div>
        <TodayLine />
      </section>
      {open === undefined ? (
        rows.length > 0 && (
          <p class="inbox-hint quiet">
            Choose one on the left, or with <kbd>↓</kbd>. <kbd>?</kbd> lists the keys.
          </p>
        )
      ) : (
        <OpenCard key={open} id={open} expired={expired} next={<Next id={next} />} />
      )}
      {isHelped && <KeysHelp onClose={() => setHelped(false)} />}
    </div>
  );
}

function isOpen(approvals: PendingApprovals, id: string): boolean {
  return approvals.get(id)?.peek().end === undefined;
}

/** Offers the next card, and never opens it automatically. */
function Next({ id }: { id: string | undefined }): VNode {
  const { approvals } = useHub();
  const card = id === undefined ? undefined : approvals.get(id)?.value;
  if (id === undefined || card === undefined) return <p class="quiet next-card">Nothing else waits.</p>;
  return (
    <a class="next-card" href={hrefOf("approval", [id])} aria-keyshortcuts="n">
      Next:{" "}
      <code>
        <VisibleText text={elide(card.payload.command, 40)} />
      </code>{" "}
      ›
    </a>
  );
}

/** The card that the address names: pending, settled here, or expired before. */
function OpenCard({
  id,
  expired,
  next,
}: {
  id: string;
  expired: readonly ExecApprovalRequestPayload[];
  next: ComponentChildren;
}): VNode {
  const card = useHub().approvals.get(id)?.value;
  const late = expired.find(({ approvalId }) => approvalId === id);
  // For a card that ended during an outage, that list says how.
  const isKnown = card !== undefined && !(card.end?.kind === "gone" && late !== undefined);
  if (isKnown) return <ApprovalCard card={card} next={next} />;
  if (late === undefined) return <MissingCard id={id} />;
  const end = { kind: "expired", closed: { approvalId: id, by: "timeout" }, atMs: late.expiresAtMs } as const;
  return <ApprovalCard card={{ payload: late, end }} next={next} />;
}

/** An address may be older than the page: only the hub knows whether the card is pending, and pending cards are still arriving. */
function MissingCard({ id }: { id: string }): VNode {
  const hub = useHub();
  const [isOver, setOver] = useState(false);
  const isLive = hub.state.value === "live";
  useEffect(() => {
    if (!isLive) return;
    hub.request("getExecApproval", { approvalId: id }).catch((cause: unknown) => {
      if (!(cause instanceof GatewayError)) throw cause;
      if (cause.code === "NOT_FOUND") setOver(true);
    });
  }, [isLive, id]);
  if (!isOver) return <Empty title="Looking for it…" />;
  return (
    <Empty title="This approval isn’t waiting any more.">
      <p>
        <a href={hrefOf("story", [id])}>How it ended</a> · <a href={hrefOf("inbox")}>Inbox</a>
      </p>
    </Empty>
  );
}

/** `Today: 214 ran · 6 asked · 1 denied`, from the hub's counts. */
function TodayLine(): VNode {
  const state = useHub().hubState.value;
  const ran = [...STARTED_OUTCOMES].reduce((sum, kind) => sum + (state?.today[kind] ?? 0), 0);
  return (
    <p class="today-line">
      <a href={hrefOf("today")}>
        Today:{" "}
        {state === undefined
          ? "…"
          : `${counted(ran)} ran · ${counted(state.askedToday)} asked · ${counted(state.today.denied)} denied`}
      </a>
    </p>
  );
}

function counted(count = 0): string {
  return count.toLocaleString("en");
}

const NEWS: ReadonlySet<string> = new Set([ExecApprovalExpiredAction]);
const NONE: readonly ExecApprovalRequestPayload[] = [];

/** Expired commands that can still be allowed for a retry, newest first. */
function useExpired(): readonly ExecApprovalRequestPayload[] {
  const hub = useHub();
  const { answer } = useQuery("expired", () => hub.request("listExpiredApprovals", {}), { news: NEWS });
  return answer?.approvals ?? NONE;
}
