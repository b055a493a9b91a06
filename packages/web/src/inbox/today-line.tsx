import { RAN } from "@countersign/protocol/describe";
import type { VNode } from "preact";
import { useHub } from "../hub/index.ts";
import { hrefOf } from "../navigation/index.ts";

/** `Today: 214 ran · 6 asked · 1 denied`, as the hub counts it. */
export function TodayLine(): VNode {
  const state = useHub().hubState.value;
  const ran = [...RAN].reduce((sum, kind) => sum + (state?.today[kind] ?? 0), 0);
  return (
    <p class="today-line">
      <a href={hrefOf("today")}>
        Today:{" "}
        {state === undefined
          ? "…"
          : `${counted(ran)} ran · ${counted(state.askedToday)} asked · ${counted(state.today.denied)} denied`}
      </a>
    </p>
  );
}

function counted(count = 0): string {
  return count.toLocaleString("en");
}
