export { CommandText, useEndSeen } from "./command-text.tsx";
export { EffectsList, sentencesOf } from "./effects-list.tsx";
export { byWords, resultWord, unsafeWord, wasAllowed } from "./result-words.ts";
export { ScriptTexts } from "./script-texts.tsx";
export { type ToldOutcome, tellOutcome } from "./tell-outcome.ts";
export { useStory } from "./use-story.ts";
