import { visible } from "@countersign/protocol/text";
import type { VNode } from "preact";
import "./visible-text.css";

/** The form in which `visible` names a character. */
const NAMED = /(<U\+[0-9A-F]{4,6}>)/;

/**
 * Shows foreign text safely. Characters that would be obeyed, reorder text or be invisible are named and set apart. The rest is text nodes, so
 * markup does nothing. `lines`: keeps line feeds and tabs.
 */
export function VisibleText({ text, lines = false }: { text: string; lines?: boolean }): VNode {
  const shown = lines
    ? text.split(/([\n\t])/).map((part) => (part === "\n" || part === "\t" ? part : visible(part)))
    : [visible(text)];
  // Marks only names that `visible` added, not ones that the text itself spells out.
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
