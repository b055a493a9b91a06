import { SETTINGS, valueWords } from "./setting-words.ts";

/** One thing that becomes allowed: what, and the pattern or directory that it is about. */
export interface Widening {
  readonly words: string;
  readonly text?: string;
  /** How far that goes, and went before. */
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

/** The hub's sentence for a file, as one for people; what isn't known stays as the hub says it. */
export function parseWidening(sentence: string): Widening {
  const [, what = "", json = "", bounds] = /^(\w+: [a-z ]+) ("(?:[^"\\]|\\.)*")(?:: (.*))?$/s.exec(sentence) ?? [];
  const words = LIST_WORDS[what];
  if (words !== undefined) return { words, text: textOf(json), ...(bounds === undefined ? {} : { bounds }) };
  const [, key = "", from = "", to = ""] = /^(\w+): (\S+) → (\S+)$/.exec(sentence) ?? [];
  const setting = SETTINGS.find((one) => one.key === key);
  if (setting === undefined) return { words: sentence };
  const tell = (value: string) => valueWords(setting, valueIn(value));
  return { words: `${setting.label}: ${tell(to)}. Until now: ${tell(from)}` };
}

function valueIn(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return /^\d+$/.test(text) ? Number(text) : text;
}

function textOf(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    // Something was hidden in it: as it stands.
    return json;
  }
}
