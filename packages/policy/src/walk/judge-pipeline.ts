import { DOWNLOADERS, SHELLS } from "../catalog/index.ts";
import { judgePipedData, noteUnpacked, noteWritten } from "../data-flow/index.ts";
import { basename, makeEffect } from "../model/index.ts";
import { type Draft, type DraftPart, senderAt } from "../shell/index.ts";
import { readsCodeFromStdin } from "./judge-shell.ts";

/** `curl … | sh`: text that nobody has seen becomes code. `starts` are the indexes of each stage's first part. */
export function judgePipeline(draft: Draft, starts: readonly number[]): void {
  const second = starts[1];
  if (second === undefined) return;
  judgePipedData(draft, starts);
  const downloads = draft.parts.slice(starts[0]).some((part) => DOWNLOADERS.includes(basename(part.words[0] ?? "")));
  if (downloads) {
    for (const part of draft.parts.slice(starts[0])) {
      noteWritten(draft, part.effects);
      noteUnpacked(draft, part);
    }
  }
  for (const part of draft.parts.slice(second)) {
    if (!readsCodeFromStdin(part.words) && !(downloads && takesCodeFromList(part, draft))) continue;
    const name = basename(part.words[0] ?? "");
    const sender = downloads ? senderAt(draft, part.span) : undefined;
    const what = downloads ? "a download" : "text";
    const sentence = `Matches dangerous pattern: ${sender ?? `pipes ${what} into ${name}, which runs it`}`;
    const ruleId = downloads ? "remote-code" : "pipe-to-interpreter";
    const kind = downloads ? "executes" : "obfuscation";
    part.effects.push(makeEffect(part.span, { kind, risk: "dangerous", layer: "dangerous-pattern", ruleId, sentence }));
  }
}

/** `… | xargs sh -c`: what is read becomes the text that runs. */
function takesCodeFromList({ words, wrapper }: DraftPart, { parts }: Draft): boolean {
  const name = basename(words[0] ?? "");
  const listed = wrapper !== undefined && basename(parts[wrapper]?.words[0] ?? "") === "xargs";
  return (
    listed && SHELLS.includes(name) && words.length === 3 && /^-[a-z]*c$/.test(words[1] ?? "") && words[2] === null
  );
}
