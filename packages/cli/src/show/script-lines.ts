import { leftWords, SCRIPT_OMISSION_WORDS, scriptsOf } from "@countersign/protocol/describe";
import type { ShownScript } from "@countersign/protocol/proposals";
import { quoted } from "../terminal/index.ts";

/** Whatever is shown of one is shown whole: the hub has cut it already. */
const WHOLE = 100_000;

/** What stands in the scripts that these effects run, in quotes: somebody else wrote it. */
export function scriptLines(effects: readonly { readonly script?: ShownScript | undefined }[]): string[] {
  return scriptsOf(effects).flatMap(({ runs = [], silence }) => [
    ...(silence === undefined ? [] : [`the script's text isn't here: ${SCRIPT_OMISSION_WORDS[silence]}`]),
    ...runs.map(
      ({ name, text, left }) =>
        `script ${quoted(name)}: ${quoted(text, WHOLE)}${left === undefined ? "" : `, ${leftWords(left)}`}`,
    ),
  ]);
}
