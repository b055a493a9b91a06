import type { Draft } from "./draft.ts";
import { judgePipedData } from "./judge-piped-data.ts";
import { readsCodeFromStdin } from "./judge-shell.ts";
import { makeEffect } from "./make-effect.ts";
import { basename } from "./resolve-path.ts";
import { DOWNLOADERS } from "./tables/programs.ts";
import { noteWritten } from "./track-downloads.ts";

/** `curl … | sh`: text that nobody has seen becomes code. `starts` are the indexes of each stage's first part. */
export function judgePipeline(draft: Draft, starts: readonly number[]): void {
  const second = starts[1];
  if (second === undefined) return;
  judgePipedData(draft, starts);
  const downloads = draft.parts.slice(starts[0]).some((part) => DOWNLOADERS.includes(basename(part.words[0] ?? "")));
  if (downloads) for (const part of draft.parts.slice(starts[0])) noteWritten(draft, part.effects);
  for (const part of draft.parts.slice(second)) {
    if (!readsCodeFromStdin(part.words)) continue;
    const name = basename(part.words[0] ?? "");
    const what = downloads ? "a download" : "text";
    const sentence = `Matches dangerous pattern: pipes ${what} into ${name}, which runs it`;
    const ruleId = downloads ? "remote-code" : "pipe-to-interpreter";
    const kind = downloads ? "executes" : "obfuscation";
    part.effects.push(makeEffect(part.span, { kind, risk: "dangerous", layer: "dangerous-pattern", ruleId, sentence }));
  }
}
