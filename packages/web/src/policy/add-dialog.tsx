import { ceilingWords } from "@countersign/protocol/describe";
import type { PolicyChange, PolicyPage } from "@countersign/protocol/policy";
import { explanationSchema } from "@countersign/protocol/proposals";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useHub, useQuery } from "../hub/index.ts";
import { Dialog, Notice, VisibleText } from "../ui/index.ts";
import { ChangePreview, SaveBar } from "./change-preview.tsx";
import { EntryForm, emptyDraft, entryOf } from "./entry-form.tsx";
import { usePolicyEdit } from "./policy-edits.ts";

type Way = "like" | "allow" | "deny";

const WAYS: readonly [Way, string][] = [
  ["like", "Allow commands like this one"],
  ["allow", "Allow a pattern"],
  ["deny", "Deny a pattern"],
];
const PAUSE_MS = 200;

interface Props {
  page: PolicyPage;
  /** The command being tried; offers entries for similar commands. */
  command?: string;
  onClose(message?: string): void;
}

/** Adds an entry to the profile, with a preview of what it would have done. */
export function AddDialog({ page, command: tried = "", onClose }: Props): VNode {
  const [way, setWay] = useState<Way>(tried === "" ? "allow" : "like");
  const [draft, setDraft] = useState(emptyDraft(page.defaultCeiling));
  const [command, setCommand] = useState(tried);
  const like = useEntriesLike(page, way === "like" ? command : "");
  const stated = entryOf(draft, page.defaultCeiling);
  const change = changeOf();
  const { save, problem, isBusy } = usePolicyEdit(page.profile, () =>
    onClose(`${way === "deny" ? "Denied" : "Allowed"}: ${namesOf(change)}.`),
  );
  function changeOf(): PolicyChange | undefined {
    if (way === "like") {
      const { pattern: _, ceiling: __, ...rest } = stated;
      const entries = like.entries.map((entry) => ({ ...entry, ...rest }));
      return entries.length === 0 ? undefined : { action: "allow", entries };
    }
    if (stated.pattern === "") return undefined;
    const { ceiling: _, ...plain } = stated;
    return { action: way, entries: [way === "deny" ? plain : stated] };
  }
  return (
    <Dialog title="Add an entry" onClose={() => onClose()}>
      <fieldset class="policy-choices ways">
        <legend class="heard">What to add</legend>
        {WAYS.map(([one, words]) => (
          <label key={one}>
            <input type="radio" name="way" checked={way === one} onChange={() => setWay(one)} />
            <span>{words}</span>
          </label>
        ))}
      </fieldset>
      {way === "like" && (
        <div class="entry-form">
          <label class="policy-field">
            Command
            <input
              class="mono"
              value={command}
              placeholder="npm test"
              spellcheck={false}
              autocomplete="off"
              autocapitalize="none"
              onInput={(event) => setCommand(event.currentTarget.value)}
            />
          </label>
          {like.message !== undefined && <Notice>{like.message}</Notice>}
          {like.entries.map((entry) => (
            <p key={entry.pattern} class="like-entry">
              <code>
                <VisibleText text={entry.pattern} />
              </code>
              <span class="quiet small">{ceilingWords(entry.ceiling ?? {})}</span>
            </p>
          ))}
        </div>
      )}
      <EntryForm
        draft={draft}
        onDraft={setDraft}
        kinds={page.defaultCeiling.kinds}
        hasCeiling={way === "allow"}
        places={page.places}
        fixedPattern={way === "like"}
      />
      <ChangePreview profile={page.profile} change={change} />
      {problem && <Notice kind="problem">{problem}</Notice>}
      <SaveBar
        label={way === "deny" ? "Deny" : "Allow"}
        disabled={change === undefined || isBusy}
        onSave={() => change && save(change)}
        onClose={onClose}
      />
    </Dialog>
  );
}

function namesOf(change: PolicyChange | undefined): string {
  return change !== undefined && "entries" in change ? change.entries.map(({ pattern }) => pattern).join(", ") : "";
}

/** The entries that `allow-always` would save for a command, or why it saves none. */
function useEntriesLike({ profile, cwd }: PolicyPage, command: string) {
  const hub = useHub();
  const about = command.trim() === "" ? undefined : JSON.stringify([profile, cwd, command]);
  const { answer, problem } = useQuery(
    about,
    (signal) => hub.api(explanationSchema, "POST /api/v1/explain", { body: { command, cwd, profile }, signal }),
    { pauseMs: PAUSE_MS },
  );
  if (about === undefined || answer === undefined) return { entries: [], message: problem };
  const { decision, always } = answer;
  if (decision.verdict === "allow") return { entries: [], message: `It is allowed already: ${decision.reason}.` };
  if (decision.verdict === "deny") return { entries: [], message: `It is denied: ${decision.reason}.` };
  const message = always?.note ?? always?.open;
  return { entries: always?.note === undefined ? (always?.entries ?? []) : [], message: message && `${message}.` };
}
