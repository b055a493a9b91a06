import type { PolicyChange, PolicyPage, ViewedEntry } from "@countersign/protocol/policy";
import type { VNode } from "preact";
import { Dialog, Notice, VisibleText } from "../ui/index.ts";
import { ReplayBox } from "./replay-box.tsx";
import { SaveBar } from "./save-bar.tsx";
import { textOf } from "./sort-entries.ts";
import { useSaving } from "./use-saving.ts";

interface Props {
  page: PolicyPage;
  entry: ViewedEntry;
  onClose(told?: string): void;
}

/** Takes an entry away, after what that would have changed has been seen. */
export function RevokeDialog({ page, entry, onClose }: Props): VNode {
  const { list, id, pattern } = entry;
  const change: PolicyChange = { action: "remove", entry: id };
  const told = list === "allow" ? "No longer allowed" : "No longer denied";
  const { save, problem, isSaving } = useSaving(page.profile, () => onClose(`${told}: ${pattern}.`));
  return (
    <Dialog title={list === "allow" ? "Revoke an entry" : "Stop denying"} onClose={() => onClose()}>
      <pre class="policy-revoked">
        <VisibleText text={textOf(entry)} lines />
      </pre>
      <ReplayBox profile={page.profile} change={change} />
      {problem && <Notice kind="problem">{problem}</Notice>}
      <SaveBar
        kind="danger"
        label={list === "allow" ? "Revoke" : "Stop denying"}
        disabled={isSaving}
        onSave={() => save(change)}
        onClose={onClose}
      />
    </Dialog>
  );
}
