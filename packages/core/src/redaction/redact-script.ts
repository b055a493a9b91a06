import type { ScriptText, ShownScript } from "@countersign/policy";

/** Characters of a script that are shown. */
export const MAX_SHOWN_SCRIPT = 2_000;

interface Veil {
  /** For the commands that stand in it. */
  command(text: string): string;
  path(text: string): string;
}

/** A script as a person is shown it. Redacted whole and then cut: the beginning of a secret doesn't look like one. */
export function redactScript(script: ShownScript, { command, path }: Veil): ShownScript {
  const file = path(script.file);
  const { runs } = script;
  if (runs === undefined) return { ...script, file };
  return { ...script, file, runs: runs.map((run) => shorten(run, command(run.text))) };
}

function shorten({ name, left = 0 }: ScriptText, text: string): ScriptText {
  const last = text.charCodeAt(MAX_SHOWN_SCRIPT - 1);
  // Half a character would be shown as none.
  const isHalf = last >= 0xd800 && last < 0xdc00;
  const shown = text.slice(0, isHalf ? MAX_SHOWN_SCRIPT - 1 : MAX_SHOWN_SCRIPT);
  const more = left + text.length - shown.length;
  return { name, text: shown, ...(more === 0 ? {} : { left: more }) };
}
