import {
  type PolicyChange,
  type PolicyReplay,
  policyReplaySchema,
  type ReplayedChange,
} from "@countersign/protocol/policy";
import type { VNode } from "preact";
import { useHub, useQuery } from "../hub/index.ts";
import { ago, elide } from "../text/index.ts";
import { Button, Notice, VisibleText } from "../ui/index.ts";
import { NewlyAllowed } from "./newly-allowed.tsx";
import "./dialogs.css";

const PAUSE_MS = 350;
const MAX_CHARACTERS = 90;

/** Previews what a change would have decided in the last month, while it is being edited. */
export function ChangePreview({ profile, change }: { profile: string; change: PolicyChange | undefined }): VNode {
  const hub = useHub();
  const about = change === undefined ? undefined : JSON.stringify({ profile, change: withoutReasons(change) });
  const { answer, problem, isLooking } = useQuery(
    about,
    (signal) => hub.api(policyReplaySchema, "POST /api/v1/policy/replay", { body: JSON.parse(about ?? ""), signal }),
    { pauseMs: PAUSE_MS },
  );
  return (
    <section
      class={`policy-replay ${isLooking ? "is-looking" : ""}`}
      aria-label="What it would have done"
      aria-busy={isLooking}
    >
      {problem !== undefined && <Notice kind="problem">{problem}</Notice>}
      {answer !== undefined && <Found {...answer} />}
      {answer === undefined && problem === undefined && (
        <p class="quiet">{isLooking ? "Looking at the last 30 days…" : "Shows what it would have done."}</p>
      )}
    </section>
  );
}

/** Leaves out the reasons: they change nothing, so typing one sends no query. */
function withoutReasons(change: PolicyChange): PolicyChange {
  if (!("entries" in change)) return change;
  return { ...change, entries: change.entries.map(({ why: _, ...entry }) => entry) };
}

function Found({ proposals, redacted, counts, changes, complete, fromMs, widening, warnings }: PolicyReplay): VNode {
  const ways = Object.entries(counts);
  const span = complete || fromMs === null ? "of the last 30 days" : `since ${ago(fromMs, Date.now())}`;
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} class="policy-fault">
          <VisibleText text={warning} />.
        </p>
      ))}
      <NewlyAllowed widening={widening} />
      <p>
        Of {proposals} {proposals === 1 ? "command" : "commands"} {span}
        {ways.length === 0 && (
          <>
            , <strong>none</strong> would have been decided differently
          </>
        )}
        {redacted > 0 && `; ${redacted} more contained a secret and can’t be tried`}
        {!complete && "; older ones weren’t tried"}
        {ways.length === 0 ? "." : ":"}
      </p>
      {ways.map(([way, count]) => (
        <Way key={way} way={way} count={count} changes={changes} />
      ))}
    </>
  );
}

const WAY_WORDS: Readonly<Record<string, string>> = {
  "ask → allow": "would have run without asking",
  "deny → allow": "would have run instead of being denied",
  "deny → ask": "would have asked instead of being denied",
  "allow → ask": "would have asked instead of running",
  "allow → deny": "would have been denied instead of running",
  "ask → deny": "would have been denied without asking",
};

function Way({ way, count, changes }: { way: string; count: number; changes: readonly ReplayedChange[] }): VNode {
  const examples = changes.filter(({ from, to }) => `${from} → ${to}` === way);
  return (
    <div class="policy-way">
      <h3>
        <strong class={way.endsWith("allow") ? "policy-wider" : "policy-tighter"}>{count}</strong>{" "}
        {WAY_WORDS[way] ?? way}
      </h3>
      <ul>
        {examples.map(({ command, cwd, count: times }) => (
          <li key={`${cwd} ${command}`}>
            <code>
              <VisibleText text={elide(command, MAX_CHARACTERS)} />
            </code>
            {times > 1 && <span class="quiet"> ×{times}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface Props {
  label: string;
  kind?: "main" | "danger";
  disabled?: boolean;
  onSave(): void;
  onClose(): void;
}

/** The last row of a dialog: cancel or save. */
export function SaveBar({ label, kind = "main", disabled = false, onSave, onClose }: Props): VNode {
  return (
    <p class="save-bar">
      <Button onClick={() => onClose()}>Cancel</Button>
      <Button kind={kind} disabled={disabled} onClick={onSave}>
        {label}
      </Button>
    </p>
  );
}
