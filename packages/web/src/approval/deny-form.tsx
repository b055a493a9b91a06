import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../ui/index.ts";

/** Common reasons; a chip fills the line, and the line can be edited. */
const CHIPS = ["Not now", "Not needed", "Too broad: name the files", "Find another way", "Wrong directory"];

/** A one-line reason, which the agent gets verbatim. */
export default function DenyForm({
  reason,
  onReason,
  onDeny,
  onCancel,
  locked,
}: {
  reason: string;
  onReason(reason: string): void;
  onDeny(): void;
  onCancel(): void;
  locked: string | undefined;
}): VNode {
  const line = useRef<HTMLInputElement>(null);
  useEffect(() => line.current?.focus(), []);
  return (
    <form
      class="deny-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (locked === undefined) onDeny();
      }}
    >
      <label>
        <span>Why? The agent is told.</span>
        <input
          ref={line}
          class="line"
          value={reason}
          maxLength={1024}
          placeholder="Optional"
          autoComplete="off"
          onInput={({ currentTarget }) => onReason(currentTarget.value)}
        />
      </label>
      <div class="chips">
        {CHIPS.map((chip) => (
          <button key={chip} type="button" class="chip" onClick={() => onReason(chip)}>
            {chip}
          </button>
        ))}
      </div>
      <div class="bar-row">
        <Button onClick={onCancel}>Back</Button>
        <Button kind="danger" type="submit" aria-disabled={locked !== undefined}>
          Deny
        </Button>
      </div>
      {locked && <p class="locked">{locked}</p>}
    </form>
  );
}
