/**
 * What a terminal would obey, reorder or not show: controls and escapes, bidi, zero-width and other invisible
 * characters, unassigned ones, line separators, and spaces that only look like one. (U+2800 is an empty braille cell.)
 */
const DECEIVING = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** Text that somebody else wrote, safe to print on one line: deceiving characters are named, never sent. */
export function visible(text: string): string {
  return text.replace(DECEIVING, name);
}

/** The same for text that may have lines. Each is one element, so that the caller can keep it from posing as ours. */
export function visibleLines(text: string): string[] {
  return text.split("\n").map((line) => line.split("\t").map(visible).join("\t"));
}

/** JSON that parses to the same value, and in which a terminal obeys, reorders and hides nothing. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(DECEIVING, escaped);
}

function escaped(characters: string): string {
  return Array.from(
    { length: characters.length },
    (_, at) => `\\u${characters.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}

function name(character: string): string {
  const point = character.codePointAt(0) as number;
  return `<U+${point.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** What every mark of a hidden text begins with: `[REDACTED]`, and in a command `[REDACTED: 42 characters]`. */
export const REDACTION_MARK = "[REDACTED";
