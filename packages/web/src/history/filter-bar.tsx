import { riskWord } from "@countersign/protocol/describe";
import { riskLevelSchema } from "@countersign/protocol/proposals";
import { visible } from "@countersign/protocol/text";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useHub, useQuery } from "../hub/index.ts";
import { goTo, routeNow } from "../navigation/index.ts";
import { clockTime, sessionName, shortPath } from "../text/index.ts";
import { nowMs, VisibleText } from "../ui/index.ts";
import { type Filters, hrefWith, readFilters, SHOWN, type Shown } from "./filters.ts";

/** Delay between the last key and the query. */
const PAUSE_MS = 120;
const HERE = { view: "history" };
/** The views that show the list: it is next to a story too. */
const SEARCHED = ["history", "story"];

const RISKS = {
  "": "Any risk",
  ...Object.fromEntries(riskLevelSchema.options.map((level) => [level, riskWord(level)])),
};
const DECIDERS = {
  "": "By anyone",
  person: "By a person",
  policy: "By the policy",
  "entry,deny-entry,grant": "By an entry or grant",
  floor: "By the floor",
  "timeout,undelivered": "By nobody in time",
};
const SPANS = { "": "Any time", "1": "Last day", "7": "Last 7 days", "30": "Last 30 days" };

/** The search and its filters. They are in the address, so that Back, links and reloads keep them. */
export function FilterBar({ filters, onDown }: { filters: Filters; onDown(): void }): VNode {
  return (
    <search class="past-filters">
      <SearchField filters={filters} onDown={onDown} />
      <fieldset class="past-shown">
        <legend class="heard">Show</legend>
        {Object.entries(SHOWN).map(([show, { label }]) => (
          <label key={show}>
            <input
              type="radio"
              name="past-shown"
              checked={(filters.show ?? "all") === show}
              onChange={() => goTo(hrefWith(HERE, filters, { show: (show as Shown) === "all" ? undefined : show }))}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <div class="past-more">
        <AgentChoice filters={filters} />
        <Choice name="risk" label="Risk" options={RISKS} filters={filters} />
        <Choice name="by" label="Decided by" options={DECIDERS} filters={filters} />
        <Choice name="since" label="When" options={SPANS} filters={filters} />
        <Narrowed filters={filters} />
      </div>
    </search>
  );
}

function SearchField({ filters, onDown }: { filters: Filters; onDown(): void }): VNode {
  const [text, setText] = useState(filters.text ?? "");
  const field = useRef<HTMLInputElement>(null);
  // Follows the address after Back or a link, but doesn't overwrite what the person is typing.
  useEffect(() => {
    if (document.activeElement !== field.current) setText(filters.text ?? "");
  }, [filters.text]);
  useEffect(() => {
    if (text === (filters.text ?? "")) return;
    const timer = setTimeout(() => {
      // Read after the delay: another filter or a story may have been chosen since.
      const { query, ...place } = routeNow();
      if (SEARCHED.includes(place.view)) goTo(hrefWith(place, readFilters(query), { text }), { replace: true });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="past-search">
      <input
        ref={field}
        id="past-search"
        type="search"
        value={text}
        placeholder="Search commands"
        aria-label="Search commands"
        aria-keyshortcuts="/"
        maxLength={256}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && text === "") field.current?.blur();
          else if (event.key === "ArrowDown" || event.key === "Enter") {
            event.preventDefault();
            onDown();
          }
        }}
      />
      <span class="past-key" aria-hidden="true">
        /
      </span>
    </div>
  );
}

interface ChoiceProps {
  name: "agent" | "risk" | "by" | "since";
  label: string;
  options: Readonly<Record<string, string>>;
  filters: Filters;
}

/** Every agent that has proposed something, and the one in the filter. */
function AgentChoice({ filters }: { filters: Filters }): VNode {
  const hub = useHub();
  const { answer = [] } = useQuery("agents", async () => (await hub.request("listAgents", {})).agents);
  const names = new Set([...answer.map(({ agentName }) => agentName), ...(filters.agent ? [filters.agent] : [])]);
  const options = Object.fromEntries([...names].sort().map((name) => [name, visible(name)]));
  return <Choice name="agent" label="Agent" options={{ "": "Any agent", ...options }} filters={filters} />;
}

function Choice({ name, label, options, filters }: ChoiceProps): VNode {
  return (
    <select
      aria-label={label}
      class={filters[name] === undefined ? "" : "is-set"}
      value={filters[name] ?? ""}
      onChange={({ currentTarget }) => goTo(hrefWith(HERE, filters, { [name]: currentTarget.value || undefined }))}
    >
      {Object.entries(options).map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}

/** Filters set by links from other views, each with a button that removes it. */
function Narrowed({ filters }: { filters: Filters }): VNode {
  const { directory, session, fromMs, since } = filters;
  const shown = [
    { name: "directory", words: directory && shortPath(directory) },
    { name: "session", words: session && `session ${sessionName(session)}` },
    { name: "fromMs", words: fromMs && !since ? `since ${clockTime(Number(fromMs), nowMs.peek())}` : undefined },
  ] as const;
  return (
    <>
      {shown.map(
        ({ name, words }) =>
          words && (
            <a key={name} class="past-chip" href={hrefWith(HERE, filters, { [name]: undefined })}>
              <span class="heard">Take away the filter </span>
              <VisibleText text={words} /> <span aria-hidden="true">×</span>
            </a>
          ),
      )}
    </>
  );
}
