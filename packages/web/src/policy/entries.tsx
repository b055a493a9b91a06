import { ceilingWords } from "@countersign/protocol/describe";
import type { PolicyChange, PolicyPage, ViewedEntry } from "@countersign/protocol/policy";
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button, Dialog, Empty, isNarrow, Notice, useKeys, VisibleText } from "../ui/index.ts";
import { AddDialog } from "./add-dialog.tsx";
import { ChangePreview, SaveBar } from "./change-preview.tsx";
import { draftOf, EntryForm, entryOf } from "./entry-form.tsx";
import { EntryRow } from "./entry-row.tsx";
import { usePolicyEdit } from "./policy-edits.ts";
import { type Only, ORDER_WORDS, type Order, pickEntries, textOf } from "./sort-entries.ts";
import "./entries.css";

/** Shown at first; more on request. A profile may have thousands, and a phone shows other parts below. */
const STEP = isNarrow() ? 20 : 100;

type Doing = { kind: "add" } | { kind: "narrow" | "revoke"; entry: ViewedEntry };

interface Props {
  page: PolicyPage;
  onChange(message: string): void;
  /** Ids of the entries that decided the tried command. */
  marked: readonly string[];
}

/** The entries of the policy: who added them, their extent, expiry and use. */
export function Entries({ page, onChange, marked }: Props): VNode {
  const [text, setText] = useState("");
  const [only, setOnly] = useState<Only>("all");
  const [order, setOrder] = useState<Order>("age");
  const [shown, setShown] = useState(STEP);
  const [doing, setDoing] = useState<Doing>();
  const search = useRef<HTMLInputElement>(null);
  useKeys({ n: () => setDoing({ kind: "add" }), "/": () => search.current?.focus() });
  const all = page.view?.entries ?? [];
  const found = pickEntries(all, { text, only, order });
  const close = (message?: string) => {
    setDoing(undefined);
    if (message !== undefined) onChange(message);
  };
  return (
    <section class="policy-part policy-entries" aria-labelledby="entries-title">
      <div class="policy-head">
        <h2 id="entries-title">
          Entries <span class="quiet">{all.length}</span>
        </h2>
        <Button kind="main" aria-keyshortcuts="n" onClick={() => setDoing({ kind: "add" })}>
          Add an entry
        </Button>
      </div>
      {all.length > 0 && (
        <div class="policy-filter">
          <input
            type="search"
            ref={search}
            aria-keyshortcuts="/"
            aria-label="Find entries"
            placeholder="Find…"
            value={text}
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <Choice label="Which entries" value={only} choices={onlyWords(all)} onChoose={setOnly} />
          <Choice label="Order" value={order} choices={ORDER_WORDS} onChoose={setOrder} />
        </div>
      )}
      {all.length === 0 && (
        <Empty title="No entries yet.">
          <p>Safe commands run, others ask. Permanent permissions from your answers are listed here too.</p>
        </Empty>
      )}
      {all.length > 0 && found.length === 0 && <Empty title="No entry matches." />}
      <ul class="entry-list" aria-label="Entries">
        {found.slice(0, shown).map((entry) => (
          <EntryRow
            key={`${entry.list} ${entry.layer} ${entry.id || entry.pattern}`}
            entry={entry}
            isMarked={entry.id !== "" && marked.includes(entry.id)}
            onNarrow={() => setDoing({ kind: "narrow", entry })}
            onRevoke={() => setDoing({ kind: "revoke", entry })}
          />
        ))}
      </ul>
      {found.length > shown && (
        <Button onClick={() => setShown(shown + STEP)}>Show {Math.min(STEP, found.length - shown)} more</Button>
      )}
      {page.leftOut > 0 && <p class="quiet">{page.leftOut} more entries aren’t shown here.</p>}
      {doing?.kind === "add" && <AddDialog page={page} onClose={close} />}
      {doing?.kind === "narrow" && <NarrowDialog page={page} entry={doing.entry} onClose={close} />}
      {doing?.kind === "revoke" && <RevokeDialog page={page} entry={doing.entry} onClose={close} />}
    </section>
  );
}

function onlyWords(all: readonly ViewedEntry[]): Readonly<Record<Only, string>> {
  const count = (fits: (entry: ViewedEntry) => boolean) => all.filter(fits).length;
  return {
    all: `all ${all.length}`,
    allow: `${count(({ list }) => list === "allow")} that allow`,
    deny: `${count(({ list }) => list === "deny")} that deny`,
    faults: `${count(({ faults = [] }) => faults.length > 0)} to look at`,
  };
}

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  choices: Readonly<Record<T, string>>;
  onChoose(value: T): void;
}

function Choice<T extends string>({ label, value, choices, onChoose }: ChoiceProps<T>): VNode {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value as T)}>
      {(Object.entries(choices) as [T, string][]).map(([one, words]) => (
        <option key={one} value={one}>
          {words}
        </option>
      ))}
    </select>
  );
}

interface DialogProps {
  page: PolicyPage;
  entry: ViewedEntry;
  onClose(message?: string): void;
}

/** Replaces an allow entry with a narrower one in one step. The hub rejects one that isn't narrower. */
function NarrowDialog({ page, entry, onClose }: DialogProps): VNode {
  const before = draftOf(entry, page.defaultCeiling);
  const [draft, setDraft] = useState(before);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(before);
  const entries = [entryOf(draft, page.defaultCeiling, entry)];
  const change: PolicyChange | undefined =
    isChanged && draft.pattern.trim() !== "" ? { action: "narrow", entry: entry.id, entries } : undefined;
  const { save, problem, isBusy } = usePolicyEdit(page.profile, () => onClose(`Narrowed: ${draft.pattern}.`));
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
      <ChangePreview profile={page.profile} change={change} />
      {problem && <Notice kind="problem">{problem}</Notice>}
      <SaveBar
        label="Narrow"
        disabled={change === undefined || isBusy}
        onSave={() => change && save(change)}
        onClose={onClose}
      />
    </Dialog>
  );
}

/** Removes an entry, after a preview of the consequences. */
function RevokeDialog({ page, entry, onClose }: DialogProps): VNode {
  const { list, id, pattern } = entry;
  const change: PolicyChange = { action: "remove", entry: id };
  const message = list === "allow" ? "No longer allowed" : "No longer denied";
  const { save, problem, isBusy } = usePolicyEdit(page.profile, () => onClose(`${message}: ${pattern}.`));
  return (
    <Dialog title={list === "allow" ? "Revoke an entry" : "Stop denying"} onClose={() => onClose()}>
      <pre class="policy-revoked">
        <VisibleText text={textOf(entry)} lines />
      </pre>
      <ChangePreview profile={page.profile} change={change} />
      {problem && <Notice kind="problem">{problem}</Notice>}
      <SaveBar
        kind="danger"
        label={list === "allow" ? "Revoke" : "Stop denying"}
        disabled={isBusy}
        onSave={() => save(change)}
        onClose={onClose}
      />
    </Dialog>
  );
}
