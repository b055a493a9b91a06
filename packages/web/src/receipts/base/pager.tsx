import type { VNode } from "preact";
import { Button } from "../../ui/index.ts";
import { many } from "./format.ts";

/** Pages through a list without gaps: `from` of `count` items are before this page. */
export function Pager({
  label,
  count,
  from,
  size,
  show,
}: {
  label: string;
  count: number;
  from: number;
  size: number;
  show(after: number): void;
}): VNode {
  const last = lastPage(count, size);
  const step = (name: string, mark: string, after: number, disabled: boolean) => (
    <Button kind="plain" disabled={disabled} onClick={() => show(after)} aria-label={name}>
      {mark}
    </Button>
  );
  return (
    <nav class="pager" aria-label={label}>
      {step("First", "«", 0, from === 0)}
      {step("Earlier", "‹", Math.max(0, from - size), from === 0)}
      <span class="small" role="status">
        {many(Math.min(from + 1, count))}–{many(Math.min(from + size, count))} of {many(count)}
      </span>
      {step("Later", "›", Math.min(last, from + size), from >= last)}
      {step("Last", "»", last, from >= last)}
    </nav>
  );
}

/** The offset of the last page. */
export function lastPage(count: number, size: number): number {
  return Math.max(0, Math.floor((count - 1) / size) * size);
}
