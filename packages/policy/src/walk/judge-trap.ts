import type { Judged, Setting } from "./judge-program.ts";

/** Not DEBUG, RETURN or ERR, which come before or after any command. */
const SIGNALS = /^(EXIT|0|(SIG)?(INT|TERM|HUP|QUIT|USR1|USR2|PIPE))$/;

/**
 * `trap text SIGNAL`: the text runs when the shell ends or is told to, with whatever is set then. It is as safe as its text
 * where nothing is known. Undefined for all that isn't so plain.
 */
export function judgeTrap({ draft, words, frame, call }: Setting): Judged | undefined {
  const [, text, ...signals] = words;
  const plain = words[0]?.text === "trap" && signals.length > 0 && !frame.shell.foreign;
  if (!plain || !signals.every((word) => SIGNALS.test(word.literal ?? ""))) return undefined;
  if (text?.literal === "-") return { effects: [] };
  // Without a text the signal is ignored, and nothing but a kill ends the command.
  if (text?.literal == null || /^[-\s]|^$/.test(text.literal) || frame.shell.functions.size > 0) return undefined;
  draft.traps = true;
  const directory = { path: frame.directory.path, certain: false };
  return { effects: [], scripts: [{ text: text.literal, span: call.span, child: { foreign: false } }], directory };
}
