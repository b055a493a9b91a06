export { CommandText, useEndSeen } from "./command-text.tsx";
export { EffectsList, ScriptTexts, sentencesOf } from "./effects-list.tsx";
export { byWords, resultWord, type ToldOutcome, tellOutcome, unsafeWord, wasAllowed } from "./tell-outcome.ts";
export { useStory } from "./use-story.ts";
