import type { Today } from "@countersign/protocol/policy";
import { visible } from "@countersign/protocol/text";
import type { VNode } from "preact";
import { type Filters, hrefWith } from "../history/index.ts";
import { duration, lastPart, shortPath } from "../text/index.ts";
import { VisibleText } from "../ui/index.ts";

type Group = Today["groups"][number];

/** Shorter waits aren't shown. */
export const WORTH_TELLING_MS = 1_000;

/** The most names in a card; the rest is a number. */
const MAX_NAMED = 4;

/** What an agent did in a repository. Each count links to the commands behind it. */
export function GroupCard({ group, fromMs }: { group: Group; fromMs: number }): VNode {
  const { agent, directory, hosts, outside, waitedMs } = group;
  const unanswered = group.expired + group.cancelled;
  const found: Filters = { agent, directory, fromMs: `${fromMs}` };
  return (
    <li class="day-group">
      <h3>
        <a href={hrefWith({ view: "history" }, found)}>
          <VisibleText text={agent || "an agent"} /> <span class="quiet">in</span>{" "}
          <VisibleText text={lastPart(directory)} />
        </a>
        <span class="day-path quiet small" title={visible(directory)}>
          <VisibleText text={shortPath(directory)} />
        </span>
      </h3>
      <dl class="day-counts">
        <Count name="ran" count={group.ran} href={hrefWith({ view: "history" }, found, { show: "ran" })} />
        <Count name="asked" count={group.asked} />
        <Count name="denied" count={group.denied} href={hrefWith({ view: "history" }, found, { show: "denied" })} />
        <Count
          name="failed"
          count={group.failed}
          href={hrefWith({ view: "history" }, found, { show: "failed" })}
          isIll
        />
        {unanswered > 0 && (
          <Count
            name="unanswered"
            count={unanswered}
            href={hrefWith({ view: "history" }, found, { show: "unanswered" })}
          />
        )}
      </dl>
      <Names label="Could change, outside its workspace" listed={outside} isIll shown={shortPath} />
      <Names label="Hosts" listed={hosts} shown={(host) => (host === "any" ? "one that isn’t named" : host)} />
      {waitedMs >= WORTH_TELLING_MS && <p class="day-line">Waited {duration(waitedMs)} for you</p>}
    </li>
  );
}

interface CountProps {
  name: string;
  count: number;
  href?: string;
  isIll?: boolean;
}

function Count({ name, count, href, isIll = false }: CountProps): VNode {
  const words = count.toLocaleString("en");
  return (
    <div class={`${count === 0 ? "is-none" : ""} ${isIll && count > 0 ? "is-ill" : ""}`}>
      <dt>{name}</dt>
      <dd>{href === undefined || count === 0 ? words : <a href={href}>{words}</a>}</dd>
    </div>
  );
}

interface NamesProps {
  label: string;
  listed: Group["hosts"];
  isIll?: boolean;
  shown(name: string): string;
}

function Names({ label, listed: { names, count }, isIll = false, shown }: NamesProps): VNode | null {
  if (count === 0) return null;
  const first = names.slice(0, MAX_NAMED);
  const more = count - first.length;
  return (
    <p class={`day-line ${isIll ? "is-ill" : ""}`} title={names.map(visible).join("\n")}>
      {label}:{" "}
      {first.map((name, index) => (
        <span key={name} class="mono">
          {index > 0 && ", "}
          <VisibleText text={shown(name)} />
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </p>
  );
}
