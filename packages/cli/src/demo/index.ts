export { asExpected, type Played, play } from "./play.ts";
export { makeScratch, type Scratch } from "./scratch.ts";
export { STEPS } from "./steps.ts";
export { openingLines, stepLines } from "./story.ts";
