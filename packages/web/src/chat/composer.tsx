import { MAX_CHAT_MESSAGE } from "@countersign/protocol/hub";
import { type Signal, signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../ui/index.ts";

interface Props {
  draft: Signal<string>;
  /** Why nothing can be sent now; the draft stays. */
  blocked: string | undefined;
  onSend(text: string): void;
  label: string;
}

/** The message field. Enter sends, Shift and Enter insert a line break. */
export function Composer({ draft, blocked, onSend, label }: Props): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = draft.value;
  useEffect(() => {
    const element = field.current;
    if (element === null) return;
    // Grows with its content, up to the limit in the style sheet.
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [text]);
  const send = () => {
    if (blocked === undefined && text.trim() !== "") onSend(text);
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        aria-label={label}
        placeholder={label}
        maxLength={MAX_CHAT_MESSAGE}
        value={text}
        onInput={({ currentTarget }) => {
          draft.value = currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <Button kind="main" type="submit" disabled={blocked !== undefined || text.trim() === ""} title={blocked}>
        Send
      </Button>
    </form>
  );
}

/** Sessions with a remembered draft. */
const MOST = 50;

const drafts = new Map<string, Signal<string>>();

/** Unsent drafts. They survive a change of view, and are in memory only: closing the tab deletes them. */
export function draftOf(sessionKey: string): Signal<string> {
  const draft = drafts.get(sessionKey) ?? signal("");
  // Moves the last used one to the end.
  drafts.delete(sessionKey);
  drafts.set(sessionKey, draft);
  const [oldest] = drafts.keys();
  if (drafts.size > MOST && oldest !== undefined) drafts.delete(oldest);
  return draft;
}
