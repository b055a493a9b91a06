import { ceilingWords } from "@countersign/protocol/describe";
import type { PolicyChange, PolicyPage, ViewedEntry } from "@countersign/protocol/policy";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Dialog, Notice, VisibleText } from "../ui/index.ts";
import { draftOf, entryOf } from "./entry-draft.ts";
import { EntryForm } from "./entry-form.tsx";
import { ReplayBox } from "./replay-box.tsx";
import { SaveBar } from "./save-bar.tsx";
import { textOf } from "./sort-entries.ts";
import { useSaving } from "./use-saving.ts";

interface Props {
  page: PolicyPage;
  entry: ViewedEntry;
  onClose(told?: string): void;
}

/** A narrower entry in the place of one that allows, in one step; the hub refuses what isn't narrower. */
export function NarrowDialog({ page, entry, onClose }: Props): VNode {
  const before = draftOf(entry, page.defaultCeiling);
  const [draft, setDraft] = useState(before);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(before);
  const entries = [entryOf(draft, page.defaultCeiling, entry)];
  const change: PolicyChange | undefined =
    isChanged && draft.pattern.trim() !== "" ? { action: "narrow", entry: entry.id, entries } : undefined;
  const { save, problem, isSaving } = useSaving(page.profile, () => onClose(`Narrowed: ${draft.pattern}.`));
  return (
    <Dialog title="Narrow an entry" onClose={() => onClose()}>
      <p class="like-entry">
        <code>
          <VisibleText text={textOf(entry)} />
        </code>
        <span class="quiet small">{entry.ceiling === undefined ? "" : ceilingWords(entry.ceiling)}</span>
      </p>
      <EntryForm
        draft={draft}
        onDraft={setDraft}
        kinds={before.kinds}
        hasCeiling
        places={page.places}
        fixedPattern={entry.command !== undefined}
      />
      <ReplayBox profile={page.profile} change={change} />
      {problem && <Notice kind="problem">{problem}</Notice>}
      <SaveBar
        label="Narrow"
        disabled={change === undefined || isSaving}
        onSave={() => change && save(change)}
        onClose={onClose}
      />
    </Dialog>
  );
}
