export { CommandText, useEndSeen } from "./command-text.tsx";
export { EffectsList, ScriptTexts, sentencesOf } from "./effects-list.tsx";
export {
  describeDecider,
  describeOutcome,
  describeResult,
  type OutcomeWords,
  unsafeWord,
  wasAllowed,
} from "./outcome-words.ts";
export { useStory } from "./use-story.ts";
