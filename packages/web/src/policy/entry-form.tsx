import type { VNode } from "preact";
import { type EntryDraft, KIND_WORDS, type Kind } from "./entry-draft.ts";

interface Props {
  draft: EntryDraft;
  onDraft(draft: EntryDraft): void;
  /** What may be chosen from; what narrows offers only what there was. */
  kinds: readonly Kind[];
  /** A deny entry takes everything that its pattern fits. */
  hasCeiling: boolean;
  places: readonly string[];
  /** The very command of an entry isn't a pattern. */
  fixedPattern?: boolean;
}

const TERMS: readonly [string, string][] = [
  ["", "for good"],
  ["1", "a day"],
  ["7", "a week"],
  ["30", "30 days"],
  ["90", "90 days"],
];

/** What an entry says, in fields. */
export function EntryForm({ draft, onDraft, kinds, hasCeiling, places, fixedPattern = false }: Props): VNode {
  const set = (some: Partial<EntryDraft>) => onDraft({ ...draft, ...some });
  const toggle = (kind: Kind) =>
    set({ kinds: draft.kinds.includes(kind) ? draft.kinds.filter((one) => one !== kind) : [...draft.kinds, kind] });
  return (
    <div class="entry-form">
      {!fixedPattern && (
        <div>
          <label class="policy-field">
            Pattern
            <input
              class="mono"
              value={draft.pattern}
              placeholder="npm run **"
              maxLength={4_096}
              spellcheck={false}
              autocomplete="off"
              autocapitalize="none"
              aria-describedby="pattern-help"
              onInput={(event) => set({ pattern: event.currentTarget.value })}
            />
          </label>
          <small id="pattern-help" class="quiet">
            <code>*</code> is one word or a part of it, <code>**</code> any further words
          </small>
        </div>
      )}
      <div class="entry-form-row">
        <label class="policy-field">
          Only in
          <input
            class="mono"
            list="entry-places"
            value={draft.directory}
            placeholder="everywhere"
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => set({ directory: event.currentTarget.value })}
          />
          <datalist id="entry-places">
            {places.map((place) => (
              <option key={place} value={place} />
            ))}
          </datalist>
        </label>
        <label class="policy-field">
          Holds
          <select value={draft.days} onChange={(event) => set({ days: event.currentTarget.value })}>
            {TERMS.map(([days, words]) => (
              <option key={days} value={days}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </div>
      <label class="policy-field">
        Why
        <input
          value={draft.why}
          maxLength={1_000}
          placeholder="for whoever reads this later"
          onInput={(event) => set({ why: event.currentTarget.value })}
        />
      </label>
      {hasCeiling && (
        <details class="entry-kinds">
          <summary>
            How far it may go: <span class="quiet">{reachWords(draft.kinds, kinds)}</span>
          </summary>
          <fieldset>
            <legend class="heard">What it may do</legend>
            {kinds.map((kind) => (
              <label key={kind}>
                <input type="checkbox" checked={draft.kinds.includes(kind)} onChange={() => toggle(kind)} />
                {KIND_WORDS[kind]}
              </label>
            ))}
          </fieldset>
        </details>
      )}
    </div>
  );
}

/** In one line, from what there is to choose. */
function reachWords(chosen: readonly Kind[], all: readonly Kind[]): string {
  if (chosen.length === all.length) return "all of its ordinary work";
  return chosen.map((kind) => KIND_WORDS[kind]).join(", ") || "nothing that isn’t safe";
}
