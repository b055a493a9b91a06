import type { Notice } from "./notice.ts";

/** One way to reach somebody. It returns at once; what goes wrong is its own to tell. */
export interface Channel {
  /** Takes the place of what was shown there before. */
  raise(notice: Notice): void;
  withdraw(): void;
}
