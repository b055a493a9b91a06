import { type ScopeTrial, scopeTrialSchema } from "@countersign/protocol/proposals";
import type { VNode } from "preact";
import { useHub, useQuery } from "../hub/index.ts";
import { elide } from "../text/index.ts";
import { CodeWords, VisibleText } from "../ui/index.ts";

const SHOWN = 90;

/** Shows what a scope would have covered, and what else it would let through. */
export function ScopePreview({ trial, isEdited }: { trial: Trial; isEdited: boolean }): VNode {
  return (
    <div class="trial" role="status">
      {isEdited && trial?.kind === "saves" && (
        <p>
          <strong>
            <CodeWords text={trial.words} />
          </strong>
        </p>
      )}
      <Words trial={trial} />
    </div>
  );
}

function Words({ trial }: { trial: Trial }): VNode {
  if (trial === undefined) return <p class="quiet">Checking what it would have covered…</p>;
  if (trial.kind === "refused")
    return (
      <p class="locked">
        Can’t be saved: <VisibleText text={trial.reason} />
      </p>
    );
  const { covered, denied, others, otherCommands, looked, truncated } = trial.past;
  return (
    <>
      <p>
        Would have covered {covered === 0 ? "none" : covered} of the {truncated ? "last " : ""}
        {looked === 1 ? "one past question" : `${looked.toLocaleString("en")} past questions`}
        {denied > 0 && <strong class="unwell">, {denied} of which somebody denied</strong>}.
      </p>
      {others.length > 0 && (
        <>
          <p>Would also let through:</p>
          <ul class="bullets">
            {others.map(({ command, cwd, count, denied: no }) => (
              <li key={`${command}\n${cwd}`}>
                <code>
                  <VisibleText text={elide(command, SHOWN)} />
                </code>
                {count > 1 && <span class="quiet"> ×{count}</span>}
                {no > 0 && <strong class="unwell"> denied</strong>}
              </li>
            ))}
          </ul>
          {otherCommands > others.length && <p class="quiet">and {otherCommands - others.length} other commands.</p>}
        </>
      )}
      {trial.note !== undefined && (
        <p>
          <VisibleText text={trial.note} />
        </p>
      )}
    </>
  );
}

const PAUSE_MS = 250;

type Trial = ScopeTrial | undefined;

/** The hub's preview of a scope; undefined until it answers. */
export function useScopePreview(approvalId: string, scope: string | undefined): Trial {
  const hub = useHub();
  const { answer, problem, isLooking } = useQuery(
    scope === undefined ? undefined : `${approvalId} ${scope}`,
    (signal) =>
      hub.api(scopeTrialSchema, "POST /api/v1/approvals/:id/try-scope", {
        params: { id: approvalId },
        body: { scope },
        signal,
      }),
    { pauseMs: PAUSE_MS },
  );
  if (isLooking) return undefined;
  return problem === undefined ? answer : { kind: "refused", reason: problem };
}
