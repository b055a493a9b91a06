import type { VNode } from "preact";
import { useHub } from "../hub/index.ts";
import { clockTime } from "../text/index.ts";
import { Copyable, counted, many, shortKey } from "./base/index.ts";
import { type MemoryState, recordWatchOf } from "./record-watch.ts";

/** The record that this browser remembers, and whether the hub's has only grown since. */
export function RememberedRecord(): VNode {
  const state = recordWatchOf(useHub()).state.value;
  const key = state.kind === "looked" ? state.key : null;
  return (
    <div class="memory">
      <p class={`memory-word ${state.kind === "looked" ? state.seen.kind : ""}`}>{words(state)}</p>
      {key !== null && (
        <p class="quiet small">
          Its first key is <Copyable text={key} shown={shortKey(key)} label="the key" />
          {state.kind === "looked" &&
            state.sinceMs !== null &&
            `, remembered since ${clockTime(state.sinceMs, Date.now())}`}
        </p>
      )}
    </div>
  );
}

function words(state: MemoryState): string {
  if (state.kind === "looking") return "Comparing with what this browser remembers…";
  if (state.kind === "failed") return `The comparison with what this browser remembers failed: ${state.message}`;
  const { seen } = state;
  switch (seen.kind) {
    case "none":
      return "There’s no checkpoint yet: one is made within a minute.";
    case "alarm":
      return `This isn’t the record that this browser remembers (${seen.code}).`;
    case "kept":
      return KEPT[seen.how].replace("#", counted(seen.size, "receipt")).replace("%", many(seen.size));
  }
}

const KEPT = {
  first: "This browser sees the record for the first time, and remembers it: #.",
  same: "The record is the one that this browser remembers: #.",
  grown: "The record has only grown since this browser last saw it: proved up to %.",
} as const;
