import type { Today } from "@countersign/protocol/policy";
import type { VNode } from "preact";
import { hrefWith } from "../history/index.ts";
import { useHub } from "../hub/index.ts";
import { hrefOf } from "../navigation/index.ts";
import { duration } from "../text/index.ts";
import { Empty, Notice } from "../ui/index.ts";
import { GroupCard, WORTH_TELLING_MS } from "./group-card.tsx";
import { Suggestions } from "./suggestions.tsx";
import { groupKey, useToday } from "./use-today.ts";
import "./view.css";

/** Agents and repositories that a day may show; what is beyond is in the History. */
const MAX_GROUPS = 100;

/** What each agent did where, since midnight; and what could be asked less often. */
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
            <a href={hrefOf("history")}>What happened before</a>
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
