export { type BodyRow, cardBody } from "./card-body.ts";
export { isDangerous, whyNotEdited } from "./edit.ts";
export { editPane, worstFirst } from "./edit-pane.ts";
export { type Key, KeyReader } from "./keys.ts";
export { FOOTER_ROWS, type Layout, layoutOf, paneRoom, tooSmall } from "./layout.ts";
export { whyNotAllow, whyNotDeny, whyNotJail, whyNotLate, whyNotPreview, whyNotScope } from "./may-decide.ts";
export { menuRows } from "./menu.ts";
export {
  type Edit,
  firstState,
  type HubFacts,
  type Input,
  type Now,
  type PreviewPane,
  type RecentEvent,
  type Size,
  selectedOf,
  type Want,
  type WatchCard,
  type WatchEvent,
  type WatchState,
  waitingOf,
} from "./state.ts";
export { DEAD_MS, endingOf, update } from "./update.ts";
