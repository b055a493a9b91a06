import { type Size, selectedOf, type WatchState } from "./state.ts";

/** How the screen's rows are shared out. */
export interface Layout {
  readonly banner: number;
  readonly body: number;
  /** The line that says how the selected card ended. */
  readonly ending: number;
  readonly list: number;
  readonly recent: number;
  readonly lowerRule: number;
}

const SMALLEST: Size = { columns: 20, rows: 8 };
export const FOOTER_ROWS = 2;
/** The header, the card's title, the rule below the card. */
const FRAME_ROWS = 3;
const LEAST_BODY = 3;
const EMPTY_BODY = 3;

/** Then no card is shown, so nothing counts as seen and nothing can be decided. */
export function tooSmall({ size: { columns, rows } }: Pick<WatchState, "size">): boolean {
  return columns < SMALLEST.columns || rows < SMALLEST.rows;
}

/** The card comes first: the others get what it leaves, and a row or three in any case. */
export function layoutOf(state: WatchState): Layout {
  const { rows } = state.size;
  const selected = selectedOf(state);
  const banner = (state.alarm === undefined ? 0 : 1) + (state.link.up && !state.hub.paused ? 0 : 1);
  const ending = selected?.ended === undefined ? 0 : 1;
  const lowerRule = rows >= 16 ? 1 : 0;
  const free = Math.max(0, rows - FRAME_ROWS - FOOTER_ROWS - banner - ending - lowerRule);
  const others = state.cards.length - (selected ? 1 : 0);
  const leastList = Math.min(others, rows >= 16 ? 3 : 1);
  const leastRecent = Math.min(state.recent.length, rows >= 20 ? 2 : 0);
  const wanted = state.body?.rows.length ?? EMPTY_BODY;
  const body = Math.min(wanted, free, Math.max(LEAST_BODY, free - leastList - leastRecent));
  const list = Math.max(0, Math.min(others, free - body - leastRecent));
  const recent = Math.max(0, Math.min(state.recent.length, free - body - list));
  return { banner, body, ending, list, recent, lowerRule };
}

export function bodyRoom(state: WatchState): number {
  return layoutOf(state).body;
}

/** Rows for what stands in the card's place, from its title to the keys. */
export function paneRoom(state: WatchState): number {
  const { banner } = layoutOf(state);
  return Math.max(1, state.size.rows - FRAME_ROWS - FOOTER_ROWS - banner);
}
