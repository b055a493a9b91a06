import type { ShownScript } from "../proposals/index.ts";

type Silence = NonNullable<ShownScript["silence"]>;

/** Why the text of a script isn't shown, as the end of a sentence. */
export const SCRIPT_OMISSION_WORDS: Record<Silence, string> = {
  NOT_HERE: "there's no package.json in its directory",
  NOT_NAMED: "package.json has no script of that name",
  UNREADABLE: "package.json can't be read for certain",
  TOO_LARGE: "it is too long to be shown",
  TOO_MANY: "too many scripts are in this command",
  CHANGED: "package.json changed while it was read",
};

/** Of scripts that several effects run, each once. */
export function scriptsOf(effects: readonly { readonly script?: ShownScript | undefined }[]): ShownScript[] {
  const found = new Map<string, ShownScript>();
  for (const { script } of effects) if (script) found.set(JSON.stringify([script.file, script.runs]), script);
  return [...found.values()];
}

/** How many characters at the end of a text aren't shown. */
export function leftWords(left: number): string {
  return `+ ${left.toLocaleString("en")} ${left === 1 ? "character" : "characters"} that aren't shown`;
}
