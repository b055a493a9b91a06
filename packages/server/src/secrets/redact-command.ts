import { REDACTED } from "./secrets-stream.ts";

const NAMED = "ANTHROPIC_API_KEY|OPENAI_API_KEY|PROJ_JARVIS_TOKEN|COUNTERSIGN_TOKEN";

/**
 * The same for a command: no character that bash gives a meaning, no word boundary, nothing that could be an option.
 * What stands before the secret (`keep`) stays readable.
 */
const IN_COMMANDS = [
  new RegExp(`(?<keep>\\b(?:${NAMED})=)[A-Za-z0-9._+/@:,%^=-]+`, "gi"),
  /sk-ant-[A-Za-z0-9\-_]{20,}/gi,
  /sk-[A-Za-z0-9]{20,}/gi,
  /(?<keep>Bearer )(?!-)[A-Za-z0-9._-]{20,}/gi,
  /ghp_[A-Za-z0-9]{36}/gi,
];

/**
 * For the command that a person decides about. What runs is the unredacted text, so a redaction must never cover
 * anything that bash would act on: `ANTHROPIC_API_KEY=$(rm -rf ~)` stays readable.
 */
export function redactCommand(command: string): string {
  return redaction(command).text;
}

export interface Redaction {
  readonly text: string;
  /** Where an offset into the original stands in the redacted text. */
  at(offset: number): number;
}

export function redaction(command: string): Redaction {
  const hidden = hiddenSpans(command);
  let text = "";
  let from = 0;
  for (const { pos, end } of hidden) {
    text += command.slice(from, pos) + REDACTED;
    from = end;
  }
  text += command.slice(from);
  const at = (offset: number): number => {
    let shift = 0;
    for (const { pos, end } of hidden) {
      if (offset <= pos) break;
      if (offset < end) return pos + shift;
      shift += REDACTED.length - (end - pos);
    }
    return offset + shift;
  };
  return { text, at };
}

/** In order and apart from each other. */
function hiddenSpans(command: string): { pos: number; end: number }[] {
  const found = IN_COMMANDS.flatMap((pattern) =>
    [...command.matchAll(pattern)].map((match) => ({
      pos: match.index + (match.groups?.keep?.length ?? 0),
      end: match.index + match[0].length,
    })),
  ).sort((a, b) => a.pos - b.pos || b.end - a.end);
  const apart: { pos: number; end: number }[] = [];
  for (const span of found) {
    const last = apart.at(-1);
    if (last && span.pos < last.end) last.end = Math.max(last.end, span.end);
    else apart.push(span);
  }
  return apart;
}
