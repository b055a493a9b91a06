import { visible } from "@countersign/protocol/text";
import type { VNode } from "preact";
import "./visible-text.css";

/** As `visible` writes them. */
const NAMED = /(<U\+[0-9A-F]{4,6}>)/;

/**
 * Text that somebody else wrote. Whatever would be obeyed, reordered or not seen is named and set apart; the rest is text nodes, so that
 * markup does nothing. `lines`: line feeds and tabs stay what they are.
 */
export function VisibleText({ text, lines = false }: { text: string; lines?: boolean }): VNode {
  const shown = lines
    ? text.split(/([\n\t])/).map((part) => (part === "\n" || part === "\t" ? part : visible(part)))
    : [visible(text)];
  // A name that the text itself spells out isn't a mark: only what wasn't there before is.
  if (shown.join("") === text) return <bdi>{text}</bdi>;
  return <bdi>{[...pieces(text, lines)]}</bdi>;
}

function* pieces(text: string, lines: boolean): Generator<VNode | string> {
  let plain = "";
  for (const character of text) {
    const named = lines && (character === "\n" || character === "\t") ? character : visible(character);
    if (named === character || !NAMED.test(named)) plain += named;
    else {
      if (plain !== "") yield plain;
      plain = "";
      yield <span class="unseen">{named.slice(1, -1)}</span>;
    }
  }
  if (plain !== "") yield plain;
}
