import type { PolicyChange, PolicyPage, ViewedEntry } from "@countersign/protocol/policy";
import type { VNode } from "preact";

interface Props {
  draft: EntryDraft;
  onDraft(draft: EntryDraft): void;
  /** The effects to choose from; narrowing offers only those of the entry. */
  kinds: readonly Kind[];
  /** A deny entry covers everything that matches its pattern. */
  hasCeiling: boolean;
  places: readonly string[];
  /** An entry for an exact command has no pattern to edit. */
  fixedPattern?: boolean;
}

const TERMS: readonly [string, string][] = [
  ["", "for good"],
  ["1", "a day"],
  ["7", "a week"],
  ["30", "30 days"],
  ["90", "90 days"],
];

/** The form of an entry. */
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
          placeholder="for people who read this later"
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

/** Sums up the chosen effects in one line. */
function reachWords(chosen: readonly Kind[], all: readonly Kind[]): string {
  if (chosen.length === all.length) return "all of its ordinary work";
  return chosen.map((kind) => KIND_WORDS[kind]).join(", ") || "nothing that isn’t safe";
}

type Ceiling = PolicyPage["defaultCeiling"];
type Kind = Ceiling["kinds"][number];
type WantedEntry = Extract<PolicyChange, { action: "allow" }>["entries"][number];

/** An entry while it is being edited. */
interface EntryDraft {
  readonly pattern: string;
  /** Empty: in any directory. */
  readonly directory: string;
  /** Days; empty: permanently. */
  readonly days: string;
  readonly why: string;
  readonly kinds: readonly Kind[];
  readonly risk: Ceiling["risk"];
}

const KIND_WORDS: Readonly<Record<Kind, string>> = {
  reads: "read files",
  writes: "write files",
  deletes: "delete files",
  "network-read": "fetch from the network",
  "network-send": "send to the network",
  executes: "run other programs",
  privilege: "gain rights",
  persistence: "restart automatically",
  credentials: "use credentials",
  "history-rewrite": "rewrite history",
  infrastructure: "change infrastructure",
  "process-control": "control processes",
  obfuscation: "hide what it does",
  environment: "change the environment",
};

const DAY_MS = 86_400_000;

export function emptyDraft({ kinds, risk }: Ceiling, pattern = ""): EntryDraft {
  return { pattern, directory: "", days: "", why: "", kinds, risk };
}

export function draftOf(entry: ViewedEntry, standard: Ceiling): EntryDraft {
  const { pattern, directory = "", why = "", ceiling: { kinds, risk } = standard } = entry;
  return { pattern, directory, days: "", why, kinds, risk };
}

/** Converts a draft to an entry. `of` is the entry that it narrows: fields that aren't in the form are copied from it. */
export function entryOf(draft: EntryDraft, standard: Ceiling, of?: ViewedEntry): WantedEntry {
  const { pattern, directory, days, why, kinds, risk } = draft;
  const before = of?.ceiling ?? standard;
  const same = risk === before.risk && kinds.length === before.kinds.length;
  const ceiling = same ? of?.ceiling : { ...of?.ceiling, kinds: [...kinds], risk };
  const until = untilOf(days, of?.expiresAtMs);
  return {
    pattern: pattern.trim(),
    ...(ceiling === undefined ? {} : { ceiling }),
    ...(of?.command === undefined ? {} : { command: of.command }),
    ...(of?.code === undefined ? {} : { code: of.code }),
    ...(directory.trim() === "" ? {} : { directory: directory.trim() }),
    ...(why.trim() === "" ? {} : { why: why.trim() }),
    ...(until === undefined ? {} : { expiresAtMs: until }),
  };
}

/** The earlier of the chosen expiry and the old one: narrowing never extends. */
function untilOf(days: string, had: number | undefined): number | undefined {
  if (days === "") return had;
  // Rounded to days, so that the preview and the saved entry are the same.
  const chosen = (Math.floor(Date.now() / DAY_MS) + 1 + Number(days)) * DAY_MS;
  return had === undefined ? chosen : Math.min(had, chosen);
}
