import type { RefObject } from "preact";
import { useHub } from "../hub/index.ts";
import { useWhenQuiet } from "./use-when-quiet.ts";

/** Long enough to be read. */
const STAYS_MS = 4_000;

/** Puts away what was settled a while ago, so that the list is what waits. What is open stays. */
export function useTidy(list: RefObject<HTMLElement | null>, open: string | undefined): void {
  const { approvals } = useHub();
  useWhenQuiet(list, (atMs) => {
    const over = approvals.ids.peek().filter((id) => {
      const end = approvals.get(id)?.peek().end;
      return id !== open && end !== undefined && end.atMs < atMs - STAYS_MS;
    });
    if (over.length > 0) approvals.dismiss(over);
  });
}
