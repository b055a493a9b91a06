import { ceilingWords, DECIDER_WORDS, riskWord } from "@countersign/protocol/describe";
import type { WireExplanation } from "@countersign/protocol/proposals";
import {
  annotate,
  type Cell,
  type CommandRow,
  type Line,
  line,
  type Piece,
  piece,
  type Style,
  wrapCommand,
  wrapText,
} from "../terminal/index.ts";
import { scriptLines } from "./script-lines.ts";

type Effect = WireExplanation["effects"][number];
type Risk = Effect["risk"];

const STYLES: Record<Risk, Style> = { safe: "good", "needs-review": "warn", dangerous: "danger" };
const VERDICTS = { allow: "allowed", ask: "asked about", deny: "denied" } as const;
const LEAST_WIDTH = 40;

/** An explanation as lines of a terminal that is so wide. */
export function explanationLines(explanation: WireExplanation, columns: number): Line[] {
  const width = Math.max(LEAST_WIDTH, columns);
  return [
    ...headline(explanation),
    [],
    ...commandLines(explanation, width),
    [],
    ...effectLines(explanation, width),
    ...decisionLines(explanation, width),
  ];
}

function headline({ riskLevel, decision, enforcement, inJail, opaque }: WireExplanation): Line[] {
  const lines: Line[] = [[piece(riskWord(riskLevel), STYLES[riskLevel]), piece(`, ${VERDICTS[decision.verdict]}`)]];
  if (inJail) {
    const stands = enforcement === "none" ? "there's none as things stand" : `enforcement here is ${enforcement}`;
    lines.push(line(`In a jail: ${riskWord(inJail.riskLevel)}, ${VERDICTS[inJail.verdict]}; ${stands}`));
  }
  if (opaque) lines.push(line("It can't be read to its end.", "danger"));
  return lines;
}

/** Each part that isn't safe is underlined, with the numbers of its effects below. */
function commandLines({ command, spans, effects }: WireExplanation, width: number): Line[] {
  const numbers = numbered(effects);
  const remarks = spans.map(({ pos, end }) => {
    const here = numbers.flatMap(({ span }, index) => (span.pos === pos && span.end === end ? [index + 1] : []));
    return { pos, end, sentence: here.join(" ") };
  });
  const room = width - INDENT;
  return wrapCommand(command, room).flatMap((row) => {
    const here = remarks.filter(({ pos, end }) => pos < row.end && end > row.pos);
    return [
      paintRow(row, spans),
      ...annotate(row.cells, here, room).map((text) => line(" ".repeat(INDENT) + text, "dim")),
    ];
  });
}

/** Columns before the command's text: a space, the mark, a space. */
const INDENT = 3;

function paintRow({ mark, cells }: CommandRow, spans: WireExplanation["spans"]): Line {
  const pieces: Piece[] = [piece(` ${mark} `)];
  for (const cell of cells) {
    const style = styleAt(cell, spans);
    const last = pieces.at(-1) as Piece;
    if (pieces.length > 1 && last.style === style) pieces[pieces.length - 1] = piece(last.text + cell.text, style);
    else pieces.push(piece(cell.text, style));
  }
  return pieces;
}

function styleAt({ at }: Cell, spans: WireExplanation["spans"]): Style | undefined {
  const risks = spans.filter(({ pos, end }) => at >= pos && at < end).map(({ risk }) => risk);
  if (risks.length === 0) return undefined;
  return STYLES[risks.includes("dangerous") ? "dangerous" : "needs-review"];
}

/** Those that aren't safe, in the order of the text; what has no place in it comes last. */
function numbered(effects: readonly Effect[]): Effect[] {
  const place = ({ span }: Effect) => (span.end > span.pos ? span.pos : Number.POSITIVE_INFINITY);
  return effects
    .filter(({ risk }) => risk !== "safe")
    .toSorted((a, b) => (place(a) < place(b) ? -1 : Number(place(a) > place(b))));
}

function effectLines({ effects }: WireExplanation, width: number): Line[] {
  const safe = effects.filter(({ risk }) => risk === "safe");
  return [
    ...numbered(effects).flatMap((effect, index) => effectLine(String(index + 1), effect, width)),
    ...safe.flatMap((effect) => effectLine("-", effect, width)),
    ...(effects.length > 0 ? [[]] : []),
  ];
}

const SCRIPT_INDENT = 6;

function effectLine(mark: string, { sentence, layer, ruleId, risk, kind, script }: Effect, width: number): Line[] {
  const rows = wrapText(`${sentence} [${kind}; ${layer}, ${ruleId}, ${risk}]`, width - 4);
  const style = risk === "safe" ? undefined : STYLES[risk];
  const inScript = scriptLines([{ script }]).flatMap((text) => wrapText(text, width - SCRIPT_INDENT));
  return [
    ...rows.map((text, index) => [piece(index === 0 ? `${mark.padStart(2)} ` : "   ", style), piece(` ${text}`)]),
    ...inScript.map((text) => line(" ".repeat(SCRIPT_INDENT) + text)),
  ];
}

function decisionLines({ decision, always }: WireExplanation, width: number): Line[] {
  const { verdict, by, reason, entryIds } = decision;
  const ids = entryIds.length === 0 ? "" : ` (${entryIds.length === 1 ? "entry" : "entries"} ${entryIds.join(", ")})`;
  const sentence = `Decision: ${verdict}, by ${DECIDER_WORDS[by]}: ${reason}${ids}`;
  return [
    ...hanging(sentence, width),
    ...(always?.entries ?? []).flatMap(({ pattern, ceiling }) =>
      hanging(`Always would save: ${pattern}${ceiling ? ` (${ceilingWords(ceiling)})` : ""}`, width),
    ),
    ...[always?.note, always?.open].flatMap((note) => (note === undefined ? [] : hanging(note, width))),
  ];
}

function hanging(text: string, width: number): Line[] {
  return wrapText(text, width - 2).map((row, index) => line(index === 0 ? row : `  ${row}`));
}
