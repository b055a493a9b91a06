import { visible } from "@countersign/protocol/text";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

/** Shows a long text of ours abbreviated, and copies all of it. */
export function Copyable({ text, shown, label }: { text: string; shown: string; label: string }): VNode {
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      type="button"
      class="copyable mono"
      title={visible(text)}
      onClick={async () => {
        await navigator.clipboard.writeText(text);
        setCopied(true);
      }}
      onBlur={() => setCopied(false)}
    >
      <span class="heard">Copy {label}: </span>
      {visible(shown)}
      <span class="copyable-mark" aria-hidden="true">
        {isCopied ? "copied" : "copy"}
      </span>
    </button>
  );
}
