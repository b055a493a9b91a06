import type { ScopeOffer } from "@countersign/protocol/proposals";
import { visible } from "@countersign/protocol/text";
import { type Line, line, preview, wrapText } from "../../terminal/index.ts";
import type { Key } from "./keys.ts";
import { allowCard, only, whyNotJail, whyNotScope, withRefusal } from "./may-decide.ts";
import { type JailChoice, type Menu, type Now, type Step, selectedOf, type WatchState } from "./state.ts";

/** Digits that choose. */
const MAX_OFFERS = 9;

/** `s`: the ways to allow more than once are asked of the hub; nothing is chosen by that. */
export function openMenu(state: WatchState, now: Now): Step {
  const card = selectedOf(state)?.card;
  const refused = withRefusal(state, whyNotScope(state, now));
  if (refused || !card) return only(refused ?? state);
  const menu: Menu = { approvalId: card.approvalId, offers: undefined };
  return { state: { ...state, menu }, wants: [{ kind: "scopes", card }] };
}

const JAILS: readonly { readonly jail: JailChoice; readonly words: string }[] = [
  { jail: "read-only", words: "read-only: it writes nothing and reaches nobody" },
  { jail: "read-only+network", words: "read-only+network: it writes nothing, and reaches whom it was predicted to" },
  { jail: "workspace", words: "workspace: it writes in the workspace, and reaches whom it was predicted to" },
  {
    jail: "open",
    words: "open: it also writes elsewhere what it was predicted to, and reaches anyone but this machine",
  },
];

/** `l`: the jails that it can be allowed in, once. */
export function openJails(state: WatchState, now: Now): Step {
  const card = selectedOf(state)?.card;
  const refused = withRefusal(state, whyNotJail(state, now));
  if (refused || !card) return only(refused ?? state);
  const offers = JAILS.map(({ jail, words }) => ({ scope: jail, words, saves: [] }));
  return only({ ...state, menu: { approvalId: card.approvalId, jails: true, offers } });
}

/** None is preselected: Enter does nothing, and only a digit that stands on the screen chooses. */
export function pressMenu(state: WatchState, menu: Menu, key: Key, now: Now): Step {
  if (key.kind === "escape" || (key.kind === "char" && ["s", "l", "q"].includes(key.char)))
    return only({ ...state, menu: undefined });
  if (key.kind === "paste") return only({ ...state, notice: "Several keys at once: a paste, ignored." });
  if (key.kind !== "char" || menu.offers === undefined) return only(state);
  const refused = withRefusal(state, whyNotScope(state, now));
  if (refused) return only(refused);
  if (key.char === "w" && !menu.jails) return only({ ...state, input: { kind: "scope", text: writable(menu.offers) } });
  const chosen = shownOffers(state, menu.offers)[Number(key.char) - 1]?.scope;
  if (chosen === undefined) return only(state);
  return allowCard(state, menu.jails ? { jail: chosen as JailChoice } : { scope: chosen });
}

/** A pattern to begin with where one was offered, else the narrowest. */
function writable(offers: readonly ScopeOffer[]): string {
  return (offers.find(({ scope }) => scope.startsWith("pattern:")) ?? offers[0])?.scope ?? "";
}

/** In place of the card: its command in a row, and as many of the offers as fit whole. */
export function menuRows(state: WatchState, menu: Menu): Line[] {
  const { columns } = state.size;
  const card = selectedOf(state)?.card;
  const what = menu.jails ? "Allow once in a jail" : "Allow more than once";
  const title = line(` ${what}: ${preview(visible(card?.command ?? ""), columns - what.length - 5)}`, "bold");
  if (menu.offers === undefined) return [title, line(" Asking the hub …", "dim")];
  if (menu.offers.length === 0) return [title, line(" It can only be allowed once.")];
  const shown = shownOffers(state, menu.offers);
  const hidden = menu.offers.length - shown.length;
  return [
    title,
    ...shown.flatMap((offer, index) => offerRows(offer, index + 1, columns)),
    ...(hidden > 0 ? [line(` ${hidden} broader don't fit this window.`, "dim")] : []),
  ];
}

function shownOffers(state: WatchState, offers: readonly ScopeOffer[]): readonly ScopeOffer[] {
  const { columns, rows } = state.size;
  // The header, a banner, the rule, this title, what is hidden, and the footer.
  let left = rows - 7;
  const end = offers.findIndex((offer, index) => {
    left -= offerRows(offer, index + 1, columns).length;
    return left < 0;
  });
  return offers.slice(0, Math.min(MAX_OFFERS, end < 0 ? offers.length : end));
}

/** What it would save stands below, where the words don't hold it already. */
function offerRows({ words, saves, note }: ScopeOffer, number: number, columns: number): Line[] {
  const room = columns - 6;
  const unsaid = saves.filter((text) => !words.includes(text));
  const below = [...(unsaid.length > 0 ? [`saves ${unsaid.join(", ")}`] : []), ...(note === undefined ? [] : [note])];
  return [
    ...wrapText(words, room).map((text, index) => line(` ${index === 0 ? `${number} ` : "  "} ${text}`)),
    ...below.flatMap((text) => wrapText(text, room).map((row) => line(`    ${row}`, "dim"))),
  ];
}
