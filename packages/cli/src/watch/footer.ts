import { visible } from "@countersign/protocol/text";
import { elide, type Line, line, type Piece, piece, widthOf, wrapText } from "../terminal/index.ts";
import {
  type Edit,
  FOOTER_ROWS,
  type Input,
  isDangerous,
  type Now,
  selectedOf,
  type WatchState,
  whyNotAllow,
  whyNotDeny,
  whyNotEdited,
  whyNotJail,
  whyNotLate,
  whyNotPreview,
  whyNotScope,
  worstFirst,
} from "./model/index.ts";

export interface Footer {
  readonly lines: readonly Line[];
  readonly cursor?: { readonly row: number; readonly column: number };
}

/** Always as many rows: the keys that have something to do now, or the line that is typed; and the last notice. */
export function footerRows(state: WatchState, now: Now): Footer {
  return state.input ? inputRows(state, state.input) : { lines: keyRows(state, now) };
}

function inputRows(state: WatchState, input: Input): Footer {
  const { columns } = state.size;
  const { kind, text } = input;
  const ask = {
    yes: `Type yes to allow${howWords(input)}: ${worst(state)}`,
    reason: "Why not? The agent is told. Enter denies, Esc goes back",
    scope: "What to allow, as <match>@<extent>. Enter allows, Esc goes back",
  }[kind];
  const shown = visible(text);
  const room = columns - 4;
  const tail = widthOf(shown) > room ? `…${[...shown].slice(-(room - 1)).join("")}` : shown;
  const prompt = ` > ${tail}`;
  const first =
    state.notice === undefined
      ? piece(` ${elide(ask, columns - 2)}`, "bold")
      : piece(` ${elide(state.notice, columns - 2)}`, "warn");
  return { lines: [[first], line(prompt)], cursor: { row: 1, column: Math.min(columns - 1, widthOf(prompt)) } };
}

function howWords({ scope, jail, times, late, command }: Input): string {
  if (command !== undefined) return " what you wrote";
  if (late) return " it if it asks again";
  if (times !== undefined) return ` all ${times}`;
  return scope === undefined && jail === undefined ? "" : ` (${scope ?? `jail: ${jail}`})`;
}

/** What is worst about it, said again where it is allowed. */
function worst(state: WatchState): string {
  const card = selectedOf(state)?.card;
  if (state.edit?.step === "judge") return worstOfEdit(state.edit);
  const effect = card?.effects.find(({ risk }) => risk === "dangerous");
  const sentence = effect?.sentence ?? card?.riskReasons[0] ?? card?.command ?? "";
  return sentence.replace(/^Matches dangerous pattern: /, "");
}

function worstOfEdit({ explained }: Extract<Edit, { step: "judge" }>): string {
  if (explained?.kind !== "known") return "it isn't known what it would do";
  return worstFirst(explained.explanation)[0] ?? "the one that was proposed is dangerous";
}

interface KeyHelp {
  readonly long: string;
  readonly short: string;
  /** It wouldn't do anything at this moment. */
  readonly locked?: boolean;
}

const PAUSE: Record<"pause" | "resume", KeyHelp> = {
  pause: { long: "p pause all", short: "p pause" },
  resume: { long: "p resume", short: "p resume" },
};

function keyRows(state: WatchState, now: Now): Line[] {
  const { columns } = state.size;
  const helps = keyHelps(state, now);
  const forms = [helps.map(({ long }) => long), helps.map(({ short }) => short)];
  const rows = state.notice === undefined ? FOOTER_ROWS : FOOTER_ROWS - 1;
  const packed =
    forms.map((texts) => pack(texts, columns)).find(({ length }) => length <= rows) ?? pack(forms[1] ?? [], columns);
  let index = 0;
  const lines = packed.slice(0, rows).map((texts): Line => {
    const pieces: Piece[] = texts.map((text) => piece(` ${text} `, helps[index++]?.locked ? "dim" : undefined));
    return pieces;
  });
  const notice = state.notice === undefined ? [] : [noticeLine(state.notice, columns)];
  const blank = Array.from({ length: Math.max(0, FOOTER_ROWS - lines.length - notice.length) }, () => line(""));
  return [...lines, ...notice, ...blank];
}

function noticeLine(text: string, columns: number): Line {
  const [first = "", second] = wrapText(text, columns - 2);
  return line(` ${second === undefined ? first : elide(text, columns - 2)}`, "warn");
}

const MENU: readonly KeyHelp[] = [
  { long: "1–9 allow that", short: "1–9" },
  { long: "w write it…", short: "w write…" },
  { long: "Esc back", short: "Esc" },
];

const PREVIEWING: readonly KeyHelp[] = [{ long: "Esc stop it, and back to the card", short: "Esc stop" }];

const PREVIEW: readonly KeyHelp[] = [
  { long: "space b scroll", short: "space b" },
  { long: "Esc back to the card", short: "Esc" },
];

const WRITING: readonly KeyHelp[] = [
  { long: "Enter see what it would do", short: "Enter see" },
  { long: "←→ ↑↓ move", short: "←→" },
  { long: "Esc back to the card", short: "Esc" },
];

function judgingHelps(state: WatchState, edit: Extract<Edit, { step: "judge" }>, now: Now): readonly KeyHelp[] {
  const more = isDangerous(state, edit) ? "…" : "";
  const words = selectedOf(state)?.card.runBy === "agent" ? "a have it propose this" : "a allow this once";
  return [
    { long: words + more, short: `a allow${more}`, locked: whyNotEdited(state, now) !== undefined },
    { long: "space b scroll", short: "space b" },
    { long: "e change it again", short: "e edit" },
  ];
}

function keyHelps(state: WatchState, now: Now): readonly KeyHelp[] {
  if (state.edit) return state.edit.step === "write" ? WRITING : judgingHelps(state, state.edit, now);
  if (state.menu)
    return MENU.filter(({ short }) => !state.menu?.jails || !short.startsWith("w ")).map((help) => ({
      ...help,
      locked: whyNotScope(state, now) !== undefined,
    }));
  if (state.preview) return state.preview.result === undefined ? PREVIEWING : PREVIEW;
  const selected = selectedOf(state);
  const open = selected !== undefined && selected.ended === undefined;
  const dangerous = selected?.card.riskLevel === "dangerous";
  const scrolls = state.body !== undefined && !state.endSeen;
  return [
    ...(open
      ? [
          {
            long: dangerous ? "a allow once…" : "a allow once",
            short: dangerous ? "a allow…" : "a allow",
            locked: whyNotAllow(state, now) !== undefined,
          },
          ...(selected.count === undefined || selected.count < 2
            ? []
            : [
                {
                  long: `x allow all ${selected.count}`,
                  short: `x ×${selected.count}`,
                  locked: whyNotScope(state, now) !== undefined,
                },
              ]),
          { long: "s scope…", short: "s scope…", locked: whyNotScope(state, now) !== undefined },
          { long: "e edit", short: "e edit", locked: whyNotScope(state, now) !== undefined },
          ...(selected.card.enforcement === "jail"
            ? [{ long: "l jail…", short: "l jail…", locked: whyNotJail(state, now) !== undefined }]
            : []),
          { long: "d deny…", short: "d deny…", locked: whyNotDeny(state, now) !== undefined },
          ...(selected.card.enforcement === "jail"
            ? [{ long: "v preview", short: "v", locked: whyNotPreview(state, now) !== undefined }]
            : []),
        ]
      : []),
    ...(selected?.late
      ? [{ long: "i allow if it asks again", short: "i if again", locked: whyNotLate(state, now) !== undefined }]
      : []),
    ...(scrolls ? [{ long: "space scroll", short: "space ↓" }] : []),
    ...(state.cards.length > 1 ? [{ long: "↑↓ select", short: "↑↓" }] : []),
    ...(state.link.up ? [PAUSE[state.hub.paused ? "resume" : "pause"]] : []),
    { long: "? help", short: "?" },
    { long: "q quit", short: "q" },
  ];
}

/** Each with a space on both sides. */
function pack(texts: readonly string[], columns: number): string[][] {
  const rows: string[][] = [];
  let used = columns;
  for (const text of texts) {
    const width = widthOf(text) + 2;
    if (used + width > columns) {
      rows.push([]);
      used = 0;
    }
    rows.at(-1)?.push(text);
    used += width;
  }
  return rows;
}
