import type { WireExplanation } from "@countersign/protocol/proposals";
import { REDACTION_MARK } from "@countersign/protocol/text";
import { editRoom, judgedRows } from "./edit-pane.ts";
import { editText } from "./edit-text.ts";
import type { Key } from "./keys.ts";
import { paneRoom, tooSmall } from "./layout.ts";
import { decideCard, only, whyNotScope, withRefusal } from "./may-decide.ts";
import { type Edit, type Explained, type Now, type Step, selectedOf, type WatchState } from "./state.ts";

/** `e`: another command in the place of the one that was proposed, this once. */
export function openEdit(state: WatchState, now: Now): Step {
  const card = selectedOf(state)?.card;
  const refused = withRefusal(state, whyNotScope(state, now));
  if (refused || !card) return only(refused ?? state);
  const { approvalId, command } = card;
  return only({ ...state, edit: { approvalId, step: "write", text: command, at: command.length } });
}

export function pressEdit(state: WatchState, edit: Edit, key: Key, now: Now): Step {
  return edit.step === "write" ? write(state, edit, key) : judge(state, edit, key, now);
}

function write(state: WatchState, edit: Edit, key: Key): Step {
  if (key.kind === "escape") return only({ ...state, edit: undefined });
  if (key.kind === "enter") return ask(state, edit);
  const draft = editText(edit, key, editRoom(state));
  return only(draft ? { ...state, edit: { ...edit, ...draft } } : state);
}

/** What it would do is asked of the hub before it can be allowed. */
function ask(state: WatchState, { approvalId, text, at }: Edit): Step {
  const card = selectedOf(state)?.card;
  const why = whyNotThis(text, card?.command) ?? (state.link.up ? undefined : "There's no connection to the hub.");
  if (!card || why !== undefined) return only({ ...state, notice: why });
  const edit: Edit = { approvalId, step: "judge", text, at, explained: undefined, scroll: 0, seen: false };
  return { state: { ...state, edit }, wants: [{ kind: "explain", card, command: text }] };
}

function whyNotThis(text: string, proposed: string | undefined): string | undefined {
  if (text.trim() === "") return "There's nothing to run.";
  if (text.includes(REDACTION_MARK)) return "Something in it is hidden: Esc, r reveals it; then change it.";
  return text === proposed ? "It is what was proposed: change it, or Esc and allow that." : undefined;
}

type Judged = Extract<Edit, { step: "judge" }>;

function judge(state: WatchState, edit: Judged, key: Key, now: Now): Step {
  const page = Math.max(1, paneRoom(state) - 1);
  const by = (rows: number) => only({ ...state, edit: { ...edit, scroll: edit.scroll + rows } });
  switch (key.kind) {
    case "escape":
      return rewrite(state, edit);
    case "up":
      return by(-1);
    case "down":
      return by(1);
    case "page-up":
      return by(-page);
    case "page-down":
      return by(page);
    case "paste":
      return only({ ...state, notice: "Several keys at once: a paste, ignored." });
    case "char":
      if (key.char === "a") return allow(state, edit, now);
      if (key.char === "e") return rewrite(state, edit);
      return key.char === " " || key.char === "b" ? by(key.char === " " ? page : -page) : only(state);
    default:
      return only(state);
  }
}

function rewrite(state: WatchState, { approvalId, text, at }: Judged): Step {
  return only({ ...state, edit: { approvalId, step: "write", text, at } });
}

function allow(state: WatchState, edit: Judged, now: Now): Step {
  const refused = withRefusal(state, whyNotEdited(state, now));
  if (refused) return only(refused);
  const { text: command } = edit;
  if (isDangerous(state, edit)) return only({ ...state, input: { kind: "yes", text: "", command } });
  return decideCard(state, { decision: "allow-once", command });
}

/** Why what was written can't be allowed at this moment. */
export function whyNotEdited(state: WatchState, now: Now): string | undefined {
  const why = whyNotScope(state, now);
  const { edit } = state;
  if (why !== undefined || edit?.step !== "judge") return why ?? "";
  const { explained } = edit;
  if (explained === undefined) return "The hub hasn't said yet what it would do.";
  if (explained.kind === "known" && isOnFloor(explained.explanation)) {
    return "What you wrote is on the floor, and can't be put in another's place.";
  }
  return edit.seen ? undefined : "Scroll to the end of what it would do first (space).";
}

/** Nobody may put that in another's place; the hub refuses it too. */
function isOnFloor({ decision }: WireExplanation): boolean {
  return decision.by === "floor";
}

/** What isn't known is taken for the worse. */
export function isDangerous(state: WatchState, { explained }: Judged): boolean {
  const risks = [selectedOf(state)?.card.riskLevel];
  risks.push(explained?.kind === "known" ? explained.explanation.riskLevel : "dangerous");
  return risks.includes("dangerous");
}

/** The hub has said what a text would do, or why it can't; only of the text as it stands now. */
export function withExplained(
  state: WatchState,
  about: { readonly approvalId: string; readonly command: string },
  explained: Explained,
): WatchState {
  const { edit } = state;
  if (edit?.step !== "judge" || edit.approvalId !== about.approvalId || edit.text !== about.command) return state;
  return { ...state, edit: { ...edit, explained } };
}

/** It stays within its rows; whoever has had the last of them on the screen has seen it. */
export function settledEdit(state: WatchState): Edit | undefined {
  const { edit } = state;
  if (edit?.step !== "judge") return edit;
  const last = Math.max(0, judgedRows(state, edit).length - paneRoom(state));
  const scroll = Math.max(0, Math.min(edit.scroll, last));
  const seen = edit.explained !== undefined && !tooSmall(state) && (edit.seen || scroll >= last);
  return scroll === edit.scroll && seen === edit.seen ? edit : { ...edit, scroll, seen };
}
