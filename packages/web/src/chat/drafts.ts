import { type Signal, signal } from "@preact/signals";

/** Sessions whose half-written messages are remembered. */
const MOST = 50;

const drafts = new Map<string, Signal<string>>();

/** What was typed and isn't sent: it stays when another view is looked at. Only in memory, and gone with the tab. */
export function draftOf(sessionKey: string): Signal<string> {
  const draft = drafts.get(sessionKey) ?? signal("");
  // The one used last stands last.
  drafts.delete(sessionKey);
  drafts.set(sessionKey, draft);
  const [oldest] = drafts.keys();
  if (drafts.size > MOST && oldest !== undefined) drafts.delete(oldest);
  return draft;
}
