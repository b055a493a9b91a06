import { leftWords, SCRIPT_OMISSION_WORDS } from "@countersign/protocol/describe";
import type { ShownScript } from "@countersign/protocol/proposals";
import type { VNode } from "preact";
import { VisibleText } from "../ui/index.ts";

/** What stands in the scripts that an effect is about: somebody else's text, and never ours to summarise. */
export function ScriptTexts({ scripts }: { scripts: readonly ShownScript[] }): VNode | null {
  if (scripts.length === 0) return null;
  return (
    <ul class="script-texts">
      {scripts.map(({ file, runs = [], silence }) => [
        silence !== undefined && (
          <li key={file} class="quiet">
            Its text isn’t here: {SCRIPT_OMISSION_WORDS[silence]}.
          </li>
        ),
        ...runs.map(({ name, text, left }) => (
          <li key={`${file} ${name}`}>
            <VisibleText text={name} />:{" "}
            <code>
              <VisibleText text={text} />
            </code>
            {left !== undefined && <strong> {leftWords(left)}</strong>}
          </li>
        )),
      ])}
    </ul>
  );
}
