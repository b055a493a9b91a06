import { signal } from "@preact/signals";

/** Whether the hub has another page by now than the one that is open. */
export const isOutdated = signal(false);
