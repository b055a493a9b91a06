import type { ApprovalClosed, ApprovalCounted, ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { ApprovalDecision } from "@countersign/vocabulary";
import { cardBody } from "./card-body.ts";
import { settledEdit, withExplained } from "./edit.ts";
import { handleKey } from "./handle-key.ts";
import { bodyRoom, tooSmall } from "./layout.ts";
import { laidOut, withResult } from "./preview-pane.ts";
import type { Explained, Now, RecentEvent, Step, WatchCard, WatchEvent, WatchState } from "./state.ts";

/** After the card under the fingers changes, for so long nothing can be decided. */
export const DEAD_MS = 400;
const BELL_APART_MS = 1_000;
/** As many as a hub lets wait. */
const MAX_CARDS = 20_000;
const MAX_RECENT = 50;

/** What an event makes of the state, and what is to be done about it. Pure: the clock is given. */
export function update(before: WatchState, event: WatchEvent, now: Now): Step {
  const { state, wants } = happen(before, event, now);
  return { state: settle(before, state, now), wants };
}

function happen(state: WatchState, event: WatchEvent, now: Now): Step {
  switch (event.kind) {
    case "asked":
      return asked(state, event.card, now);
    case "counted":
      return only(counted(state, event.counted));
    case "closed":
      return only(closed(state, event, now));
    case "late":
      return only({ ...(event.over ? forget(state, event.approvalId) : state), notice: event.note });
    case "gone":
      return only(event.approvalIds.reduce((next, id) => end(next, id, GONE, now), state));
    case "link":
      // What was under way is unknown now; the hub says after the reconnection.
      return only({ ...state, link: event.link, ...(event.link.up ? {} : { underWay: undefined, pausing: false }) });
    case "hub":
      return only({ ...state, hub: event.hub });
    case "ledger": {
      const isNew = event.alarm !== undefined && event.alarm !== state.alarm;
      return { state: { ...state, alarm: event.alarm }, wants: isNew ? [{ kind: "bell" }] : [] };
    }
    case "answered": {
      const { approvalId, decision, edited, note } = event;
      const mark = decision === "deny" ? "✗" : "✓";
      const how = edited ? "changed and allowed once by you" : YOURS[decision];
      return only({ ...end(released(state), approvalId, { mark, how }, now), notice: note });
    }
    case "scopes":
      return only(state.menu?.approvalId === event.approvalId ? { ...state, menu: event } : state);
    case "no-scopes":
      return only(
        state.menu?.approvalId === event.approvalId ? { ...state, menu: undefined, notice: event.why } : state,
      );
    case "previewed":
      return only(withResult(state, event.result));
    case "not-previewed":
      return only(
        state.preview?.approvalId === event.approvalId ? { ...state, preview: undefined, notice: event.why } : state,
      );
    case "explained":
      return only(withExplained(state, event, event.explained));
    case "revealed":
      return only(withCard(state, event.card));
    case "not-revealed":
      return only({ ...state, notice: event.why });
    case "not-answered": {
      const next = { ...released(state), notice: event.why };
      return only(event.gone ? end(next, event.approvalId, GONE, now) : next);
    }
    case "paused":
      return only({ ...state, pausing: false, notice: event.why ?? state.notice });
    case "key":
      return handleKey(state, event.key, now);
    case "resize":
      return only({ ...state, size: event.size });
    case "tick":
      return only(withoutOld(state, now));
  }
}

const YOURS: Record<ApprovalDecision, string> = {
  deny: "denied by you",
  "allow-once": "allowed once by you",
  "allow-always": "allowed more than once by you",
};

function only(state: WatchState): Step {
  return { state, wants: [] };
}

/** Other rows under the fingers: as after a new selection, nothing can be decided for a moment. */
function withCard(state: WatchState, card: ExecApprovalRequestPayload): WatchState {
  const isThis = (known: WatchCard) => known.card.approvalId === card.approvalId && known.ended === undefined;
  if (!state.cards.some(isThis)) return state;
  const cards = state.cards.map((known) => (isThis(known) ? { redacted: known.card.command, ...known, card } : known));
  return { ...state, cards, notice: "Nothing is hidden now; the hub has recorded that you looked." };
}

function released(state: WatchState): WatchState {
  return { ...state, underWay: undefined };
}

/** A new card never takes the selection, but where nothing at all is selected it is shown. */
function asked(state: WatchState, card: ExecApprovalRequestPayload, { monoMs }: Now): Step {
  const { approvalId } = card;
  if (state.cards.length >= MAX_CARDS || state.cards.some((known) => known.card.approvalId === approvalId)) {
    return only(state);
  }
  const rings = monoMs - state.lastBellMs >= BELL_APART_MS;
  return {
    state: {
      ...state,
      cards: [...state.cards, { card, ...(card.count === undefined ? {} : { count: card.count }) }],
      selectedId: state.selectedId ?? approvalId,
      lastBellMs: rings ? monoMs : state.lastBellMs,
    },
    wants: rings ? [{ kind: "bell" }] : [],
  };
}

type Ending = Pick<RecentEvent, "mark" | "how">;
const GONE: Ending = { mark: "–", how: "no longer waits" };

function closed(state: WatchState, { closed, expired }: { closed: ApprovalClosed; expired: boolean }, now: Now) {
  return end(state, closed.approvalId, endingOf(closed, expired), now);
}

const EXPIRED = "expired";

export function endingOf({ decision, by, name, device, reason }: ApprovalClosed, expired: boolean): Ending {
  const said = reason === undefined ? "" : `: "${reason}"`;
  if (expired) return { mark: "–", how: EXPIRED };
  if (decision === undefined) return { mark: "–", how: by === "shutdown" ? "the hub shut down" : "withdrawn" };
  const who = (name ?? by) + (device === undefined || device === name ? "" : ` on ${device}`);
  if (decision === "deny") return { mark: "✗", how: `denied by ${who}${said}` };
  return { mark: "✓", how: `${decision === "allow-always" ? "allowed more than once" : "allowed"} by ${who}` };
}

/** It can't be answered any more. While selected it stays, grey, until the person moves on. */
function end(state: WatchState, approvalId: string, { mark, how }: Ending, now: Now): WatchState {
  const known = state.cards.find(({ card }) => card.approvalId === approvalId);
  if (!known) return state;
  const { redacted: command = known.card.command } = known;
  const { agentName } = known.card;
  const old = state.recent.find((event) => event.approvalId === approvalId);
  // Whose answer it was is known best by the answer to our own; that it is gone is known worst.
  const better = old === undefined || how.endsWith(" by you");
  const event: RecentEvent = better
    ? { approvalId, mark, atMs: now.wallMs, command, agentName, how: withReason(how, old) }
    : old;
  const recent = [event, ...state.recent.filter((other) => other !== old)].slice(0, MAX_RECENT);
  const late = how === EXPIRED && known.card.subject === "exec" ? { late: true as const } : {};
  const stays = approvalId === state.selectedId || late.late;
  const { count: _, ...alone } = known;
  const cards = stays
    ? state.cards.map((other) => (other === known ? { ...alone, ...late, ended: event.how } : other))
    : state.cards.filter((other) => other !== known);
  return { ...state, cards: withoutSurplus(cards, state.selectedId), recent };
}

function counted(state: WatchState, { approvalId, count }: ApprovalCounted): WatchState {
  const cards = state.cards.map((known) => (known.card.approvalId === approvalId ? { ...known, count } : known));
  return { ...state, cards };
}

/** Whatever could be done about it was done: it stays only while it is looked at. */
function forget(state: WatchState, approvalId: string): WatchState {
  const cards = state.cards.flatMap(({ late: _, ...known }) => {
    if (known.card.approvalId !== approvalId) return [_ === undefined ? known : { ...known, late: _ }];
    return approvalId === state.selectedId ? [known] : [];
  });
  return { ...state, cards };
}

/** As long as the hub takes a late answer. */
const LATE_MS = 1_800_000;
/** More that nobody answered would hide what waits. */
const MAX_LATE = 5;

function withoutOld(state: WatchState, { wallMs }: Now): WatchState {
  const old = state.cards.filter(({ card, late }) => late && card.expiresAtMs + LATE_MS <= wallMs);
  return old.reduce((next, { card }) => forget(next, card.approvalId), state);
}

function withoutSurplus(cards: readonly WatchCard[], selectedId: string | undefined): readonly WatchCard[] {
  const late = cards.filter((known) => known.late && known.card.approvalId !== selectedId);
  const surplus = new Set(late.slice(0, Math.max(0, late.length - MAX_LATE)));
  return surplus.size === 0 ? cards : cards.filter((known) => !surplus.has(known));
}

/** The hub's news of our own denial carries the reason; the answer to our request doesn't. */
function withReason(how: string, old: RecentEvent | undefined): string {
  const said = old?.how.indexOf(': "') ?? -1;
  return said < 0 || !how.startsWith("denied") ? how : how + (old?.how.slice(said) ?? "");
}

/** What follows from the rest: the rows of the card, how far it is scrolled, and how long the keys stay dead. */
function settle(before: WatchState, state: WatchState, now: Now): WatchState {
  const selected = state.cards.find(({ card }) => card.approvalId === state.selectedId);
  const previous = before.cards.find(({ card }) => card.approvalId === before.selectedId);
  const moved = before.selectedId !== state.selectedId || previous?.card !== selected?.card;
  const changed = moved || previous?.ended !== selected?.ended;
  const unseen = tooSmall(state);
  // What can be chosen is new to the person too.
  const listed = before.menu?.offers !== state.menu?.offers || explainedOf(before) !== explainedOf(state);
  // How many it stands for is what can be chosen, too.
  const recounted = !moved && previous?.count !== selected?.count;
  const dies = changed || listed || recounted || (tooSmall(before) && !unseen);
  const deadUntilMs = dies ? now.monoMs + DEAD_MS : state.deadUntilMs;
  const base = { ...state, deadUntilMs, ...(changed ? NOTHING_OPEN : {}) };
  if (!selected) return { ...base, selectedId: undefined, body: undefined, scroll: 0, endSeen: false };
  const body =
    base.body && !moved && before.size.columns === state.size.columns
      ? base.body
      : cardBody(selected.card, state.size.columns, state.tilde);
  const resized = before.size !== state.size;
  const next: WatchState = { ...base, body, preview: resized ? laidOut(base) : base.preview };
  const room = bodyRoom(next);
  // Rows that were broken anew are others than those that were passed.
  const scroll = body !== base.body ? 0 : Math.max(0, Math.min(next.scroll, body.rows.length - room));
  const atEnd = !next.help && !next.preview && !next.edit && room > 0 && scroll + room >= body.commandRows;
  const endSeen = !unseen && ((!moved && next.endSeen) || atEnd);
  const shown: WatchState = { ...next, scroll, endSeen };
  return { ...shown, edit: settledEdit(shown) };
}

/** What was begun about a card goes with it. */
const NOTHING_OPEN = { input: undefined, menu: undefined, preview: undefined, edit: undefined };

function explainedOf({ edit }: WatchState): Explained | undefined {
  return edit?.step === "judge" ? edit.explained : undefined;
}
