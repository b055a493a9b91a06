import { SETTINGS, valueWords } from "./setting-words.ts";

/** Something newly allowed: a description, and its pattern or directory. */
export interface Widening {
  readonly words: string;
  readonly text?: string;
  /** The new and the previous limit. */
  readonly bounds?: string;
}

const LIST_WORDS: Readonly<Record<string, string>> = {
  "allowlist: adds": "Allows",
  "allowlist: widens": "Allows more of",
  "allowlist: adds or widens": "Allows",
  "denylist: removes": "No longer denies",
  "denylist: narrows": "Denies less of",
  "denylist: removes or shortens": "No longer denies, or for less long",
  "grants: adds": "Allows, jailed and without network, anything that stays in",
};

/** Parses the hub's description of a change in a file. An unknown one is shown as it is. */
export function parseWidening(sentence: string): Widening {
  const [, what = "", json = "", bounds] = /^(\w+: [a-z ]+) ("(?:[^"\\]|\\.)*")(?:: (.*))?$/s.exec(sentence) ?? [];
  const words = LIST_WORDS[what];
  if (words !== undefined) return { words, text: textOf(json), ...(bounds === undefined ? {} : { bounds }) };
  const [, key = "", from = "", to = ""] = /^(\w+): (\S+) → (\S+)$/.exec(sentence) ?? [];
  const setting = SETTINGS.find((one) => one.key === key);
  if (setting === undefined) return { words: sentence };
  const inWords = (value: string) => valueWords(setting, valueIn(value));
  return { words: `${setting.label}: ${inWords(to)}. Until now: ${inWords(from)}` };
}

function valueIn(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return /^\d+$/.test(text) ? Number(text) : text;
}

function textOf(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    // Part of it was redacted: shown as it is.
    return json;
  }
}
