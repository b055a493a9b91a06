import { type Today, todaySchema } from "@countersign/protocol/policy";
import { HubStateAction } from "@countersign/protocol/proposals";
import { useComputed } from "@preact/signals";
import type { VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { hrefWith } from "../history/index.ts";
import { useHub, useQuery } from "../hub/index.ts";
import { hrefOf } from "../navigation/index.ts";
import { duration } from "../text/index.ts";
import { Empty, Notice, nowMs } from "../ui/index.ts";
import { GroupCard, WORTH_TELLING_MS } from "./group-card.tsx";
import { Suggestions } from "./suggestions.tsx";
import "./view.css";

/** The most groups of a day; the rest is in the History. */
const MAX_GROUPS = 100;

/** What each agent did in each repository since midnight, and suggestions for fewer questions. */
export default function TodayView(): VNode {
  const { today, problem } = useToday();
  return (
    <div class="day">
      <h1>Today</h1>
      {problem !== undefined && <Notice kind="problem">{problem}</Notice>}
      {today === undefined && problem === undefined && <Empty title="Looking it up…" />}
      {today !== undefined && <Totals today={today} />}
      {today !== undefined && today.groups.length === 0 && (
        <Empty title="Nothing ran yet today.">
          <p>
            <a href={hrefOf("history")}>Earlier days</a>
          </p>
        </Empty>
      )}
      {today !== undefined && today.groups.length > 0 && <Groups today={today} />}
      <Suggestions />
    </div>
  );
}

function Totals({ today: { totals, fromMs } }: { today: Today }): VNode {
  const { approvals } = useHub();
  const waiting = approvals.waiting.value;
  const since = { fromMs: `${fromMs}` };
  const link = (count: number, words: string, show: string, isIll = false) => (
    <a class={isIll && count > 0 ? "is-ill" : ""} href={hrefWith({ view: "history" }, since, { show })}>
      <strong>{count.toLocaleString("en")}</strong> {words}
    </a>
  );
  return (
    <p class="day-totals">
      {link(totals.ran, "ran", "ran")}
      <span>
        <strong>{totals.asked.toLocaleString("en")}</strong> asked
      </span>
      {link(totals.denied, "denied", "denied")}
      {link(totals.failed, "failed", "failed", true)}
      {waiting > 0 && (
        <a href={hrefOf("inbox")}>
          <strong>{waiting}</strong> waiting now
        </a>
      )}
      {totals.waitedMs >= WORTH_TELLING_MS && (
        <span class="quiet">agents waited {duration(totals.waitedMs)} for you</span>
      )}
    </p>
  );
}

function Groups({ today: { groups, fromMs, isWhole } }: { today: Today }): VNode {
  const more = groups.length - MAX_GROUPS;
  return (
    <section class="day-section" aria-labelledby="day-groups">
      <h2 id="day-groups" class="heard">
        By agent and repository
      </h2>
      <ul class="day-groups">
        {groups.slice(0, MAX_GROUPS).map((group) => (
          <GroupCard key={groupKey(group)} group={group} fromMs={fromMs} />
        ))}
      </ul>
      {more > 0 && <p class="quiet small">{more} more agents and repositories are in the History.</p>}
      {!isWhole && <p class="quiet small">There is more than is counted at once: what came first is left out.</p>}
    </section>
  );
}

interface TodayQuery {
  readonly today: Today | undefined;
  readonly problem: string | undefined;
}

/** The hub sends its status whenever something was asked or has ended, including commands that the policy allowed. */
const NEWS: ReadonlySet<string> = new Set([HubStateAction]);

/**
 * Counts from midnight in the browser's time zone, and starts over at midnight. Groups keep their places, so that nothing moves under a
 * finger; new ones are last.
 */
function useToday(): TodayQuery {
  const hub = useHub();
  const fromMs = useComputed(() => new Date(nowMs.value).setHours(0, 0, 0, 0)).value;
  const ask = (signal: AbortSignal) => hub.api(todaySchema, "GET /api/v1/today", { query: { fromMs }, signal });
  const { answer, problem } = useQuery(`${fromMs}`, ask, { news: NEWS });
  const places = useRef(new Map<string, number>());
  const today = useMemo(() => answer && { ...answer, groups: inPlace(answer.groups, places.current) }, [answer]);
  return { today, problem };
}

function groupKey({ agent, directory }: Today["groups"][number]): string {
  return JSON.stringify([agent, directory]);
}

function inPlace(groups: Today["groups"], places: Map<string, number>): Today["groups"] {
  for (const group of groups) if (!places.has(groupKey(group))) places.set(groupKey(group), places.size);
  return groups.toSorted((a, b) => (places.get(groupKey(a)) ?? 0) - (places.get(groupKey(b)) ?? 0));
}
