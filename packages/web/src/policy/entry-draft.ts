import type { PolicyChange, PolicyPage, ViewedEntry } from "@countersign/protocol/policy";

type Ceiling = PolicyPage["defaultCeiling"];
export type Kind = Ceiling["kinds"][number];
type WantedEntry = Extract<PolicyChange, { action: "allow" }>["entries"][number];

/** An entry as somebody writes it. */
export interface EntryDraft {
  readonly pattern: string;
  /** Empty: wherever it runs. */
  readonly directory: string;
  /** Days; empty: for good. */
  readonly days: string;
  readonly why: string;
  readonly kinds: readonly Kind[];
  readonly risk: Ceiling["risk"];
}

export const KIND_WORDS: Readonly<Record<Kind, string>> = {
  reads: "read files",
  writes: "write files",
  deletes: "delete files",
  "network-read": "fetch from the network",
  "network-send": "send to the network",
  executes: "run other programs",
  privilege: "gain rights",
  persistence: "start again by itself",
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

/** What a draft asks for. `of` is what it narrows: what isn't in the form stays as that has it. */
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

/** The earlier of what is chosen and what it had: narrowing never lengthens. */
function untilOf(days: string, had: number | undefined): number | undefined {
  if (days === "") return had;
  // By the day, so that trying and saving ask for the same.
  const chosen = (Math.floor(Date.now() / DAY_MS) + 1 + Number(days)) * DAY_MS;
  return had === undefined ? chosen : Math.min(had, chosen);
}
