import { riskWord } from "@countersign/protocol/describe";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import {
  clip,
  elide,
  type Line,
  line,
  pad,
  piece,
  preview,
  type Screen,
  type Style,
  timeLeft,
  widthOf,
  wrapText,
} from "../terminal/index.ts";
import { type Footer, footerRows } from "./footer.ts";
import { helpRows } from "./help.ts";
import {
  type BodyRow,
  type Edit,
  editPane,
  type Layout,
  layoutOf,
  menuRows,
  type Now,
  type PreviewPane,
  paneRoom,
  type RecentEvent,
  selectedOf,
  tooSmall,
  type WatchCard,
  type WatchState,
  waitingOf,
} from "./model/index.ts";

type Risk = ExecApprovalRequestPayload["riskLevel"];
const BARS: Record<Risk, string> = { safe: "■□□", "needs-review": "■■□", dangerous: "■■■" };
const RISK_STYLES: Record<Risk, Style> = { safe: "good", "needs-review": "warn", dangerous: "danger" };
const SOON_MS = 60_000;

/** The whole screen: exactly `rows` lines, none wider than `columns`. */
export function render(state: WatchState, now: Now): Screen {
  const { columns } = state.size;
  if (tooSmall(state)) {
    return fit([line("Too small for `watch`:"), line("make the window larger.")], state);
  }
  if (state.help) return fit([header(state), ...helpRows(columns)], state);
  const footer = footerRows(state, now);
  if (state.menu) {
    return above([header(state), ...banner(state), rule(columns), ...menuRows(state, state.menu)], footer, state);
  }
  if (state.preview) {
    return above([header(state), ...banner(state), ...paneLines(state, state.preview, now)], footer, state);
  }
  if (state.edit) return editScreen(state, state.edit, footer, now);
  const layout = layoutOf(state);
  const lower = layout.lowerRule ? [rule(columns)] : [];
  const lines = [
    header(state),
    ...banner(state),
    ...cardLines(state, layout, now),
    ...listLines(state, layout, now),
    ...state.recent.slice(0, layout.recent).map((event) => recentLine(event, columns)),
  ];
  return above(lines, { ...footer, lines: [...lower, ...footer.lines] }, state, lower.length);
}

/** The footer keeps to the lower edge, whatever is left between. `skip`: rows of it that the cursor isn't counted from. */
function above(lines: readonly Line[], footer: Footer, state: WatchState, skip = 0): Screen {
  const { rows } = state.size;
  const filler = Array.from({ length: Math.max(0, rows - lines.length - footer.lines.length) }, () => line(""));
  const whole = fit([...lines, ...filler, ...footer.lines], state);
  if (!footer.cursor) return whole;
  const row = rows - footer.lines.length + skip + footer.cursor.row;
  return { ...whole, cursor: { row, column: footer.cursor.column } };
}

function fit(lines: readonly Line[], { size: { columns, rows } }: WatchState): Screen {
  const whole = [...lines, ...Array.from({ length: Math.max(0, rows - lines.length) }, () => line(""))];
  return { lines: whole.slice(0, rows).map((each) => clip(each, columns)) };
}

function header(state: WatchState): Line {
  const { agents, ranToday } = state.hub;
  const waiting = waitingOf(state);
  const facts = [
    "countersign",
    `${agents} ${agents === 1 ? "agent" : "agents"}`,
    `${waiting} waiting`,
    `${ranToday} ran today`,
  ];
  // On a narrow screen: what waits is the last thing to go.
  while (facts.length > 2 && facts.join(" · ").length > state.size.columns) facts.shift();
  return line(facts.join(" · "), "bold");
}

/** Above everything else: what the hub shows can't be believed then. */
function banner(state: WatchState): Line[] {
  const { alarm, size } = state;
  const told = alarm === undefined ? [] : [line(elide(`!! ${alarm}`, size.columns), "danger")];
  return [...told, ...hubBanner(state)];
}

function hubBanner({ link, hub, size: { columns } }: WatchState): Line[] {
  if (!link.up) {
    const more = columns < 60 ? "Trying again." : "Trying again; what is shown may be old.";
    return [line(elide(`! ${link.why} ${more}`, columns), "danger")];
  }
  if (!hub.paused) return [];
  const more = columns < 60 ? "" : ": everything new is denied";
  return [line(elide(`! Paused by ${hub.paused.by} since ${clock(hub.paused.atMs)}${more}.`, columns), "warn")];
}

function cardLines(state: WatchState, layout: Layout, now: Now): Line[] {
  const { columns } = state.size;
  const selected = selectedOf(state);
  if (!selected || !state.body) return [rule(columns), ...emptyLines(layout.body, columns), rule(columns)];
  const ended = selected.ended !== undefined;
  const { rows } = state.body;
  const shown = rows.slice(state.scroll, state.scroll + layout.body);
  const below = rows.length - state.scroll - shown.length;
  return [
    title(state, selected, now),
    ...shown.map((row) => bodyLine(row, selected.card.riskLevel, ended)),
    ...(layout.ending ? [line(` ${endingText(state, selected)}`, "bold")] : []),
    rule(columns, scrollLabel(below, state.scroll)),
  ];
}

/** In place of the card, below its title with what is left of its time. */
function paneLines(state: WatchState, { result, rows, scroll }: PreviewPane, now: Now): Line[] {
  const { columns } = state.size;
  const selected = selectedOf(state);
  const shown = rows.slice(scroll, scroll + paneRoom(state));
  const waiting = result === undefined ? [line(" Trying it out where nothing is kept …", "dim")] : [];
  return [
    ...(selected ? [title(state, selected, now)] : []),
    ...[...waiting, ...shown.map(({ kind, text }) => line(text, kind === "diff" ? "dim" : undefined))],
    rule(columns, scrollLabel(rows.length - scroll - shown.length, scroll)),
  ];
}

/** The text that is changed stands where the card was, and so does the cursor. */
function editScreen(state: WatchState, edit: Edit, footer: Footer, now: Now): Screen {
  const selected = selectedOf(state);
  const top = [header(state), ...banner(state), ...(selected ? [title(state, selected, now)] : [])];
  const { lines, above: passed, below, cursor } = editPane(state, edit);
  const screen = above([...top, ...lines, rule(state.size.columns, scrollLabel(below, passed))], footer, state);
  return cursor ? { ...screen, cursor: { ...cursor, row: top.length + cursor.row } } : screen;
}

function emptyLines(room: number, columns: number): Line[] {
  const rows = wrapText("Nothing waits. What an agent asks shows up here by itself.", columns - 2).slice(0, room);
  return Array.from({ length: room }, (_, index) => line(rows[index] === undefined ? "" : ` ${rows[index]}`, "dim"));
}

function title(state: WatchState, { card, ended, count = 1 }: WatchCard, { wallMs }: Now): Line {
  const { columns } = state.size;
  const at = state.cards.findIndex((other) => other.card === card) + 1;
  const left = `─ ${at}/${state.cards.length} ─ `;
  const risk = `${riskWord(card.riskLevel)} ${BARS[card.riskLevel]}${count > 1 ? ` ×${count}` : ""}`;
  const time = timeLeft(card.expiresAtMs, wallMs);
  const long = ended === undefined ? `expires ${time}` : "ended";
  const right = columns - widthOf(`${left}${risk}`) - widthOf(long) >= 5 ? long : time;
  const fill = Math.max(1, columns - widthOf(`${left}${risk} `) - widthOf(` ${right} ─`));
  const grey = ended === undefined ? undefined : "dim";
  const soon = ended === undefined && card.expiresAtMs - wallMs < SOON_MS ? "danger" : undefined;
  return [
    piece(left, "dim"),
    piece(risk, grey ?? RISK_STYLES[card.riskLevel]),
    piece(` ${"─".repeat(fill)} `, "dim"),
    piece(right, grey ?? soon),
    piece(" ─", "dim"),
  ];
}

function bodyLine({ kind, text }: BodyRow, risk: Risk, ended: boolean): Line {
  if (ended) return line(text, "dim");
  if (kind === "command") return line(text, "bold");
  if (kind === "remark") return line(text, RISK_STYLES[risk]);
  return line(text, kind === "claim" || kind === "origin" || kind === "diff" ? undefined : "dim");
}

function endingText(state: WatchState, { card, ended = "" }: WatchCard): string {
  const { columns } = state.size;
  const others = waitingOf(state);
  const next = others === 0 ? "" : columns < 60 ? " · ↓ next" : ` · ↓ next (${others} waiting)`;
  const mark = state.recent.find(({ approvalId }) => approvalId === card.approvalId)?.mark ?? "–";
  return `${mark} ${elide(capital(ended), Math.max(8, columns - widthOf(next) - 4))}${next}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function scrollLabel(below: number, above: number): string {
  if (below > 0) return `${below} more below: space`;
  return above > 0 ? "the end; b goes back" : "";
}

/** The others, those around the selected one; what doesn't fit is counted. */
function listLines(state: WatchState, { list }: Layout, now: Now): Line[] {
  if (list === 0) return [];
  const numbered = state.cards.map((other, index) => ({ ...other, number: index + 1 }));
  const index = numbered.findIndex(({ card }) => card.approvalId === state.selectedId);
  const others = numbered.filter((_, at) => at !== index);
  const start = Math.max(0, Math.min(index, others.length - list));
  const shown = others.slice(start, start + list);
  const hidden = others.length - shown.length;
  return shown.map((other, at) => {
    const last = at === shown.length - 1;
    return listLine(other, { columns: state.size.columns, more: last ? hidden : 0, wallMs: now.wallMs });
  });
}

function listLine(
  { card, number, ended, count = 1 }: WatchCard & { number: number },
  { columns, more, wallMs }: { columns: number; more: number; wallMs: number },
): Line {
  const left = ` ${String(number).padEnd(2)} `;
  const risk = riskWord(card.riskLevel).padEnd(9);
  const time = ended ?? timeLeft(card.expiresAtMs, wallMs);
  const right = more > 0 ? `+${more} more  ${time}` : time;
  const room = columns - widthOf(left) - risk.length - widthOf(right) - 4;
  const agent = columns >= 60 ? `${pad(elide(card.agentName, 16), 12)}  ` : "";
  const many = count > 1 ? `×${count} ` : "";
  const command = preview(card.command, room - widthOf(agent) - widthOf(many));
  const middle = agent + many + command;
  return [
    piece(left),
    piece(risk, ended === undefined ? RISK_STYLES[card.riskLevel] : "dim"),
    piece(`  ${middle}${" ".repeat(Math.max(1, room - widthOf(middle) + 1))}`),
    piece(right, ended === undefined && card.expiresAtMs - wallMs < SOON_MS ? "danger" : "dim"),
  ];
}

function recentLine({ mark, atMs, command, agentName, how }: RecentEvent, columns: number): Line {
  const left = ` ${mark}  ${clock(atMs)}  `;
  const room = columns - widthOf(left) - 1;
  const third = Math.max(8, Math.floor(room * 0.4));
  const shownCommand = preview(command, third);
  const whole = `${how}  ${agentName}`;
  const tail = elide(whole, room - third - 2) === whole ? whole : how;
  const style: Style = mark === "✓" ? "good" : mark === "✗" ? "warn" : "dim";
  return [
    piece(left, style),
    piece(pad(shownCommand, third), "dim"),
    piece(`  ${elide(tail, room - third - 2)}`, "dim"),
  ];
}

function clock(atMs: number): string {
  return new Date(atMs).toLocaleTimeString("sv-SE", { hour: "2-digit", minute: "2-digit" });
}

function rule(columns: number, label = ""): Line {
  if (label === "") return line("─".repeat(columns), "dim");
  const text = ` ${elide(label, columns - 4)} ─`;
  return line("─".repeat(Math.max(0, columns - widthOf(text))) + text, "dim");
}
