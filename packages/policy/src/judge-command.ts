import { findCode } from "./code-files.ts";
import { type Call, type Draft, type DraftPart, type Followup, type Frame, markOpaque } from "./draft.ts";
import type { Effect } from "./effect.ts";
import { identifyProgram } from "./identify-program.ts";
import { judgeOpenCommandWord } from "./judge-command-word.ts";
import { type Judged, judgeProgram } from "./judge-program.ts";
import { MAX_COMMANDS, MAX_UNWRAP_DEPTH } from "./limits.ts";
import type { PathSite } from "./path-effect.ts";
import type { WordReading } from "./read-word.ts";

/** One command to judge: the call itself, then what each wrapper in it runs. */
interface Pending {
  readonly words: readonly WordReading[];
  readonly frame: Frame;
  readonly foreign: readonly Effect[];
  readonly builtins: boolean;
}

/** Adds a part for the command and one for everything its wrappers run; returns the shell text found in its words. */
export function judgeCommand(draft: Draft, frame: Frame, call: Call): Followup[] {
  const followups: Followup[] = [];
  const pending: Pending[] = [{ words: call.words, frame, foreign: call.foreign, builtins: true }];
  for (let item = pending.shift(); item !== undefined; item = pending.shift()) {
    if (item.frame.unwraps > MAX_UNWRAP_DEPTH || draft.commands >= MAX_COMMANDS) {
      markOpaque(draft, call.span, "Nests or joins more commands than are read");
      break;
    }
    draft.commands += 1;
    const inside: Frame = { ...item.frame, wrapper: draft.parts.length, unwraps: item.frame.unwraps + 1 };
    const judged = judgePart(draft, item, call);
    const directory = judged.elsewhere ? { ...frame.directory, certain: false } : frame.directory;
    for (const words of judged.inner ?? []) {
      const builtins = judged.runsBuiltins === true;
      if (words.length > 0) pending.push({ words, frame: { ...inside, directory }, foreign: [], builtins });
    }
    if (judged.script !== undefined) {
      const span = judged.scriptSpan ?? call.span;
      followups.push({ source: judged.script, frame: { ...inside, directory: { ...directory }, span } });
    }
  }
  return followups;
}

function judgePart(draft: Draft, { words, frame, foreign, builtins }: Pending, call: Call): Judged {
  const { context, parts } = draft;
  const { span } = call;
  const head = words[0] as WordReading;
  const site: PathSite = { context, directory: frame.directory, span, own: true, layer: "safe-binary" };
  const identified = head.literal === null ? undefined : identifyProgram(head.literal, context, { builtins });
  // Before it is judged: `cd` changes it.
  const place = frame.directory.certain ? { directory: frame.directory.path } : {};
  const code = identified === undefined ? undefined : findCode(identified, words, { ...frame, home: context.home });
  const judged =
    identified === undefined
      ? { effects: judgeOpenCommandWord(words, span) }
      : judgeProgram(identified, { draft, frame, words, call, site });
  const part: DraftPart = {
    span,
    words: words.map((word) => word.literal),
    builtin: identified?.builtin ?? false,
    effects: [...foreign, ...judged.effects],
    ...place,
    ...(code === undefined ? {} : { code }),
    ...(identified?.program === undefined ? {} : { program: identified.program }),
    ...(frame.wrapper === undefined ? {} : { wrapper: frame.wrapper }),
    ...(judged.described ? { described: true } : {}),
  };
  parts.push(part);
  return judged;
}
