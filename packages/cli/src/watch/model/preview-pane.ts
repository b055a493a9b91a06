import type { Preview } from "@countersign/protocol/proposals";
import { previewLines } from "../../show/index.ts";
import { cellsOf, textOf, wrap, wrapText } from "../../terminal/index.ts";
import type { BodyRow } from "./card-body.ts";
import type { Key } from "./keys.ts";
import { paneRoom } from "./layout.ts";
import { only, whyNotPreview, withRefusal } from "./may-decide.ts";
import { type Now, type PreviewPane, type Step, selectedOf, type Want, type WatchState } from "./state.ts";

/** `v`: the hub is asked to try it out. Nothing is decided by that, and the deadline goes on. */
export function openPreview(state: WatchState, now: Now): Step {
  const card = selectedOf(state)?.card;
  const refused = withRefusal(state, whyNotPreview(state, now));
  if (refused || !card) return only(refused ?? state);
  const preview = { approvalId: card.approvalId, result: undefined, rows: [], scroll: 0 };
  return { state: { ...state, preview }, wants: [{ kind: "preview", card }] };
}

/** Nothing can be decided from here: the card comes back first. */
export function pressPreview(state: WatchState, pane: PreviewPane, key: Key): Step {
  const page = Math.max(1, paneRoom(state) - 1);
  const by = (rows: number) => only({ ...state, preview: scrolled(state, { ...pane, scroll: pane.scroll + rows }) });
  switch (key.kind) {
    case "escape":
      return left(state, pane);
    case "up":
      return by(-1);
    case "down":
      return by(1);
    case "page-up":
      return by(-page);
    case "page-down":
      return by(page);
    case "char":
      return pressChar(state, key.char, {
        leave: () => left(state, pane),
        scroll: () => by(key.char === " " ? page : -page),
      });
    case "paste":
      return only({ ...state, notice: "Several keys at once: a paste, ignored." });
    default:
      return only(state);
  }
}

/** What still runs is ended: nobody will see what it would have told. */
function left(state: WatchState, { approvalId, result }: PreviewPane): Step {
  const card = state.cards.find((one) => one.card.approvalId === approvalId)?.card;
  const wants: Want[] = result === undefined && card ? [{ kind: "cancel-preview", card }] : [];
  return { state: { ...state, preview: undefined }, wants };
}

function pressChar(state: WatchState, char: string, does: { leave(): Step; scroll(): Step }): Step {
  if (char === " " || char === "b") return does.scroll();
  if (char === "v" || char === "q") return does.leave();
  const decides = ["a", "s", "e", "l", "d"].includes(char);
  return only(decides ? { ...state, notice: "Esc goes back to the card; it is answered there." } : state);
}

function scrolled(state: WatchState, pane: PreviewPane): PreviewPane {
  return { ...pane, scroll: Math.max(0, Math.min(pane.scroll, pane.rows.length - paneRoom(state))) };
}

export function withResult(state: WatchState, result: Preview): WatchState {
  const pane = state.preview;
  if (pane?.approvalId !== result.approvalId) return state;
  return { ...state, preview: { ...pane, result, rows: previewRows(state, result), scroll: 0 } };
}

/** After the window has changed. */
export function laidOut(state: WatchState): PreviewPane | undefined {
  const { preview } = state;
  if (!preview?.result) return preview;
  return scrolled(state, { ...preview, rows: previewRows(state, preview.result) });
}

/** Marked like a command's: what a file or a program says can't pose as ours. */
function previewRows(state: WatchState, result: Preview): BodyRow[] {
  const { columns } = state.size;
  const room = Math.max(8, columns - 4);
  return previewLines(result, selectedOf(state)?.card.cwd).flatMap(({ whose, text }): BodyRow[] => {
    if (whose === "ours")
      return wrapText(text, room).map((row, part) => ({ kind: "origin", text: `${part === 0 ? " " : "   "}${row}` }));
    return wrap(cellsOf(text), room).map((cells, part) => ({
      kind: "diff",
      text: ` ${part === 0 ? "|" : ":"} ${textOf(cells)}`,
    }));
  });
}
