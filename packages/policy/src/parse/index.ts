export { isForeignAddress, isRemoteAddress } from "./addresses.ts";
export { expandBraces } from "./braces.ts";
export { mixesAlphabets, readAsLatin, scanCharacters } from "./characters.ts";
export { type LiteralWord, literalWords } from "./literal-words.ts";
export { findMisreading } from "./misreading.ts";
export { findLimit, findNested } from "./nested.ts";
export type { ScriptText, ShownScript, ShowScript } from "./shown-script.ts";
