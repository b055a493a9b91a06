import { ceilingWords } from "@countersign/protocol/describe";
import { type SuggestionView, suggestionsSchema } from "@countersign/protocol/policy";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useHub, useQuery } from "../hub/index.ts";
import { hrefOf } from "../navigation/index.ts";
import { usePolicyEdit } from "../policy/index.ts";
import { elide, lastPart, shortPath } from "../text/index.ts";
import { Button, Notice, VisibleText } from "../ui/index.ts";

/** The most shown at once. */
const MAX_SHOWN = 8;

/** Suggested policy edits from past answers. Nothing is applied automatically; an accepted one is signed by this device like any edit. */
export function Suggestions(): VNode | null {
  const { suggestions, problem, settle } = useSuggestions();
  if (problem !== undefined) return <Notice kind="problem">No suggestions: {problem}</Notice>;
  if (suggestions.length === 0) return null;
  const more = suggestions.length - MAX_SHOWN;
  return (
    <section class="day-section" aria-labelledby="day-suggestions">
      <h2 id="day-suggestions">Suggestions</h2>
      <ul class="day-suggestions">
        {suggestions.slice(0, MAX_SHOWN).map((suggestion) => (
          <Suggested key={nameOf(suggestion)} suggestion={suggestion} settle={() => settle(suggestion)} />
        ))}
      </ul>
      {more > 0 && <p class="quiet small">{more} more when these are settled.</p>}
    </section>
  );
}

/** A dismissed suggestion stays hidden until the view is left. */
function useSuggestions() {
  const hub = useHub();
  const [away, setAway] = useState<ReadonlySet<string>>(new Set());
  const { answer, problem } = useQuery("suggestions", (signal) =>
    hub.api(suggestionsSchema, "GET /api/v1/suggestions", { signal }),
  );
  const suggestions = answer?.suggestions.filter((one) => !away.has(nameOf(one))) ?? [];
  const settle = (done: SuggestionView) => setAway((before) => new Set([...before, nameOf(done)]));
  return { suggestions, problem, settle };
}

function nameOf(suggestion: SuggestionView): string {
  return suggestion.kind === "remove"
    ? suggestion.id
    : JSON.stringify([suggestion.profile, suggestion.command, suggestion.directory]);
}

function Suggested({ suggestion, settle }: { suggestion: SuggestionView; settle(): void }): VNode {
  const [done, setDone] = useState(false);
  const { save, isBusy, problem } = usePolicyEdit(suggestion.profile, () => setDone(true));
  if (done) {
    return (
      <li>
        <p class="day-answer">
          <span role="status">{suggestion.kind === "allow" ? "Saved." : "Removed."}</span>
          <a href={hrefOf("policy")}>See the policy</a>
          <Button kind="plain" onClick={settle}>
            Put away
          </Button>
        </p>
      </li>
    );
  }
  return (
    <li>
      <Sentence suggestion={suggestion} />
      {problem !== undefined && <Notice kind="problem">{problem}</Notice>}
      <p class="day-answer">
        <Button disabled={isBusy} onClick={() => save(suggestion.change)}>
          {suggestion.kind === "allow" ? "Always allow it here" : "Remove it"}
        </Button>
        <Button kind="plain" onClick={settle}>
          Not now
        </Button>
      </p>
    </li>
  );
}

function Sentence({ suggestion }: { suggestion: SuggestionView }): VNode {
  if (suggestion.kind === "remove") {
    return (
      <p>
        <code>
          <VisibleText text={elide(suggestion.pattern, 120)} />
        </code>
        {forAgents(suggestion.profile)}: <VisibleText text={suggestion.why} />. Remove it?
      </p>
    );
  }
  const { command, directory, allowed, sessions, change } = suggestion;
  const entries = change.action === "allow" ? change.entries : [];
  return (
    <>
      <p>
        You allowed{" "}
        <code>
          <VisibleText text={elide(command, 120)} />
        </code>{" "}
        {allowed} times in <VisibleText text={lastPart(directory)} /> ({sessions}{" "}
        {sessions === 1 ? "session" : "sessions"}, never denied). Always allow it here?
      </p>
      <p class="quiet small">
        It would save{" "}
        {entries.map((entry, index) => (
          <span key={entry.pattern}>
            {index > 0 && ", "}
            <code>
              <VisibleText text={entry.pattern} />
            </code>
            {reachOf(entry.ceiling)}
          </span>
        ))}{" "}
        in <VisibleText text={shortPath(directory)} />
        {forAgents(suggestion.profile)}
      </p>
    </>
  );
}

/** The hub checks the entry; the page only describes its limits. */
function reachOf(ceiling: unknown): string {
  return typeof ceiling === "object" && ceiling !== null ? ` (${ceilingWords(ceiling)})` : "";
}

/** A profile other than the default belongs to an agent of that name, or was created by a person. */
function forAgents(profile: string): string {
  return profile === "default" ? "" : `, for ${profile}`;
}
