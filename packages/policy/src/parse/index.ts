export { expandBraces } from "./expand-braces.ts";
export { findLimit } from "./find-limit.ts";
export { findMisreading } from "./find-misreading.ts";
export { findNested } from "./find-nested.ts";
export { type LiteralWord, literalWords } from "./literal-words.ts";
export { isForeignAddress, isRemoteAddress } from "./match-address.ts";
export { mixesAlphabets, readAsLatin, scanCharacters } from "./scan-characters.ts";
export type { ScriptSilence, ScriptText, ShownScript, ShowScript } from "./shown-script.ts";
