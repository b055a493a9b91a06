import { isRedacted } from "@countersign/protocol/describe";
import { openEdit, pressEdit, whyNotEdited } from "./edit.ts";
import type { Key } from "./keys.ts";
import { bodyRoom, tooSmall } from "./layout.ts";
import {
  allowCard,
  allowing,
  decideCard,
  only,
  whyNotAllow,
  whyNotDeny,
  whyNotLate,
  whyNotScope,
  withRefusal,
} from "./may-decide.ts";
import { openJails, openMenu, pressMenu } from "./menu.ts";
import { openPreview, pressPreview } from "./preview-pane.ts";
import { type Input, type Now, type Step, selectedOf, type WatchState } from "./state.ts";

/** As much as a hub takes of a reason, or of a scope. */
const MAX_REASON = 1_024;
const MAX_SCOPE = 4_200;

/** What a key does. */
export function handleKey(before: WatchState, key: Key, now: Now): Step {
  const state: WatchState = { ...before, notice: undefined };
  if (key.kind === "interrupt") return { state, wants: [{ kind: "quit" }] };
  if (key.kind === "redraw") return { state, wants: [{ kind: "redraw" }] };
  if (tooSmall(state)) return pressUnseen(state, key);
  if (state.help) return key.kind === "paste" ? only(state) : only({ ...state, help: false });
  if (state.preview) return pressPreview(state, state.preview, key);
  if (state.edit && !state.input) return pressEdit(state, state.edit, key, now);
  if (key.kind === "page-up") return only(scroll(state, -1));
  if (key.kind === "page-down") return only(scroll(state, 1));
  if (state.input) return type(state, state.input, key, now);
  if (state.menu) return pressMenu(state, state.menu, key, now);
  switch (key.kind) {
    case "up":
      return only(select(state, -1));
    case "down":
      return only(select(state, 1));
    case "char":
      return pressChar(state, key.char, now);
    case "paste":
      return pasted(state, key.text);
    default:
      return only(state);
  }
}

/** No card is on the screen, nor the line that is typed: all that can be done is to leave. */
function pressUnseen(state: WatchState, key: Key): Step {
  const quits = !state.input && key.kind === "char" && key.char === "q";
  return { state, wants: quits ? [{ kind: "quit" }] : [] };
}

function pressChar(state: WatchState, char: string, now: Now): Step {
  switch (char) {
    case "a":
      return allow(state, now);
    case "s":
      return openMenu(state, now);
    case "e":
      return openEdit(state, now);
    case "l":
      return openJails(state, now);
    case "x":
      return allowAll(state, now);
    case "i":
      return allowLate(state, now);
    case "d":
      return only(withRefusal(state, whyNotDeny(state, now)) ?? { ...state, input: { kind: "reason", text: "" } });
    case "v":
      return openPreview(state, now);
    case "r":
      return reveal(state);
    case "j":
      return only(select(state, 1));
    case "k":
      return only(select(state, -1));
    case " ":
      return only(scroll(state, 1));
    case "b":
      return only(scroll(state, -1));
    case "p":
      return pause(state, now);
    case "?":
      return only({ ...state, help: true });
    case "q":
      return { state, wants: [{ kind: "quit" }] };
    default:
      return only(state);
  }
}

/** Nothing is decided by what wasn't typed. Only a selection key that was held down over a slow line is let through. */
function pasted(state: WatchState, text: string): Step {
  if (/^[jk]+$/.test(text)) {
    return only([...text].reduce((next, char) => select(next, char === "j" ? 1 : -1), state));
  }
  return only({ ...state, notice: "Several keys at once: a paste, ignored." });
}

function allow(state: WatchState, now: Now): Step {
  const refused = withRefusal(state, whyNotAllow(state, now));
  return refused ? only(refused) : allowCard(state);
}

/** `x`: as many as the card stands for, each once. */
function allowAll(state: WatchState, now: Now): Step {
  const times = selectedOf(state)?.count ?? 1;
  if (times < 2) return only(state);
  const refused = withRefusal(state, whyNotScope(state, now));
  return refused ? only(refused) : allowCard(state, { times });
}

/** `i`: nobody answered in time; if it asks again it is allowed. */
function allowLate(state: WatchState, now: Now): Step {
  const selected = selectedOf(state);
  if (!selected?.late) return only(state);
  const refused = withRefusal(state, whyNotLate(state, now));
  if (refused) return only(refused);
  if (selected.card.riskLevel === "dangerous") return only({ ...state, input: { kind: "yes", text: "", late: true } });
  return { state, wants: [{ kind: "allow-late", card: selected.card }] };
}

function reveal(state: WatchState): Step {
  const selected = selectedOf(state);
  if (!selected || selected.ended !== undefined || !state.link.up) return only(state);
  // Nobody is on record for having looked where there was nothing to see.
  if (!isRedacted(selected.card)) return only({ ...state, notice: "Nothing is hidden here." });
  return { state, wants: [{ kind: "reveal", card: selected.card }] };
}

function pause(state: WatchState, { monoMs }: Now): Step {
  if (state.pausing || !state.link.up) return only(state);
  // To end a pause is a decision; to begin one is always safe.
  if (state.hub.paused && monoMs < state.deadUntilMs) return only(state);
  return { state: { ...state, pausing: true }, wants: [{ kind: state.hub.paused ? "resume" : "pause" }] };
}

function type(state: WatchState, input: Input, key: Key, now: Now): Step {
  const longest = input.kind === "scope" ? MAX_SCOPE : MAX_REASON;
  const withText = (text: string) => only({ ...state, input: { ...input, text: oneLine(text, longest) } });
  switch (key.kind) {
    case "escape":
      return only({ ...state, input: undefined });
    case "enter":
      return enter(state, input, now);
    case "backspace":
      return withText([...input.text].slice(0, -1).join(""));
    case "clear-line":
      return withText("");
    case "char":
      return withText(input.text + key.char);
    case "paste":
      if (input.kind !== "yes") return withText(input.text + key.text);
      return only({ ...state, notice: "A paste doesn't count: type it." });
    default:
      return only(state);
  }
}

function enter(state: WatchState, { kind, text, late, ...how }: Input, now: Now): Step {
  const sayYes = late ? whyNotLate : how.command === undefined ? whyNotAllow : whyNotEdited;
  const mayNot = { yes: sayYes, scope: whyNotScope, reason: whyNotDeny }[kind];
  const refused = withRefusal(state, mayNot(state, now));
  if (refused) return only(refused);
  const said = text.trim();
  if (kind === "reason") return decideCard(state, { decision: "deny", ...(said === "" ? {} : { reason: said }) });
  if (kind === "scope") return said === "" ? only({ ...state, input: undefined }) : allowCard(state, { scope: said });
  const card = selectedOf(state)?.card;
  if (said.toLowerCase() === "yes" && late && card) {
    return { state: { ...state, input: undefined }, wants: [{ kind: "allow-late", card }] };
  }
  if (said.toLowerCase() === "yes") return decideCard(state, allowing(how));
  return only({ ...state, input: undefined, notice: "Not allowed: that wasn't yes." });
}

/** A line break that was pasted doesn't end the line, and neither does it stand in it. */
function oneLine(text: string, longest: number): string {
  return text
    .replace(/\p{C}+/gu, " ")
    .toWellFormed()
    .slice(0, longest);
}

/** The card below or above. One that has ended is left for good. */
function select(state: WatchState, by: 1 | -1): WatchState {
  const index = state.cards.findIndex(({ card }) => card.approvalId === state.selectedId);
  if (index < 0) return state;
  const here = state.cards[index];
  if (here?.ended === undefined || here.late) {
    const next = state.cards[index + by];
    return next ? { ...state, selectedId: next.card.approvalId } : state;
  }
  const cards = state.cards.filter((_, at) => at !== index);
  const next = cards[Math.max(0, Math.min(by > 0 ? index : index - 1, cards.length - 1))];
  return { ...state, cards, selectedId: next?.card.approvalId };
}

/** By a screenful less one row, so that no row can be jumped over. `settle` keeps it within the card. */
function scroll(state: WatchState, by: 1 | -1): WatchState {
  return { ...state, scroll: state.scroll + by * Math.max(1, bodyRoom(state) - 1) };
}
