import { visible } from "@countersign/protocol/text";
import { elide } from "./cells.ts";

/** Longer than what people name; enough to tell two directories apart. */
const MAX_COLUMNS = 256;

/**
 * A name that somebody else chose, in quotes that it can't end. Of several spaces all but the first are named, so that it
 * can't push its rest to where a row of ours would begin.
 */
export function quoted(text: string, columns = MAX_COLUMNS): string {
  const inner = visible(text)
    .replaceAll('"', "<U+0022>")
    .replace(/(?<= ) /g, "<U+0020>");
  return `"${elide(inner, columns)}"`;
}
