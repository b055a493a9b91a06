import { MAX_CHAT_MESSAGE } from "@countersign/protocol/hub";
import type { Signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../ui/index.ts";

interface Props {
  draft: Signal<string>;
  /** Why nothing can be sent now; what was typed stays. */
  blocked: string | undefined;
  onSend(text: string): void;
  label: string;
}

/** Where a message is written. Enter sends, Shift and Enter begin a new line. */
export function Composer({ draft, blocked, onSend, label }: Props): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = draft.value;
  useEffect(() => {
    const element = field.current;
    if (element === null) return;
    // As high as what is in it, up to what the style sheet allows.
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
