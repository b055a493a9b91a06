import { type Today, todaySchema } from "@countersign/protocol/policy";
import { HubStateAction } from "@countersign/protocol/proposals";
import { useComputed } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { useHub, useLookup } from "../hub/index.ts";
import { nowMs } from "../ui/index.ts";

interface Told {
  readonly today: Today | undefined;
  readonly problem: string | undefined;
}

/** The hub tells how it stands whenever something was asked or has ended, also what the policy let through. */
const NEWS: ReadonlySet<string> = new Set([HubStateAction]);

/**
 * Since this person's midnight, which need not be the hub's; a page that is left open begins anew then. Groups keep their places, so that
 * nothing moves under a finger; new ones come last.
 */
export function useToday(): Told {
  const hub = useHub();
  const fromMs = useComputed(() => new Date(nowMs.value).setHours(0, 0, 0, 0)).value;
  const ask = (signal: AbortSignal) => hub.api(todaySchema, "GET /api/v1/today", { query: { fromMs }, signal });
  const { answer, problem } = useLookup(`${fromMs}`, ask, { news: NEWS });
  const places = useRef(new Map<string, number>());
  const today = useMemo(() => answer && { ...answer, groups: inPlace(answer.groups, places.current) }, [answer]);
  return { today, problem };
}

export function groupKey({ agent, directory }: Today["groups"][number]): string {
  return JSON.stringify([agent, directory]);
}

function inPlace(groups: Today["groups"], places: Map<string, number>): Today["groups"] {
  for (const group of groups) if (!places.has(groupKey(group))) places.set(groupKey(group), places.size);
  return groups.toSorted((a, b) => (places.get(groupKey(a)) ?? 0) - (places.get(groupKey(b)) ?? 0));
}
