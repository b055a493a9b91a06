export interface Place {
  readonly view: string;
  readonly label: string;
}

/** The views in the navigation, in order. A phone shows the first three; the others are behind More. */
export const PLACES: readonly Place[] = [
  { view: "inbox", label: "Inbox" },
  { view: "today", label: "Today" },
  { view: "history", label: "History" },
  { view: "runs", label: "Runs" },
  { view: "chat", label: "Chat" },
  { view: "receipts", label: "Receipts" },
  { view: "policy", label: "Policy" },
  { view: "connect", label: "Connect" },
];
export const ON_A_PHONE = 3;

/** Views that belong to another view's place in the navigation. */
const WITHIN: Readonly<Record<string, string>> = { approval: "inbox", story: "history", notify: "connect" };

export function placeOf(view: string): string {
  return WITHIN[view] ?? view;
}
