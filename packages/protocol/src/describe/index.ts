export {
  ceilingWords,
  DECIDER_WORDS,
  explainUnverified,
  isRedacted,
  jailWords,
  leftWords,
  RISK_WORDS,
  riskWord,
  SCRIPT_OMISSION_WORDS,
  scriptsOf,
} from "./card.ts";
export {
  outcomeSentence,
  outcomeWord,
  STARTED_OUTCOMES,
  trialSentence,
  UNDIFFED_WORDS,
  wordsForAgent,
} from "./outcome.ts";
export { isUnexplained, sandboxStepNotes, sandboxStepWords } from "./sandbox.ts";
export { type StoryDecider, storyDecider, storyEnd, storyFacts, storyFaults, storyVerdict } from "./story.ts";
