export { PolicyReview } from "./policy-review.ts";
export { type Replay, replay } from "./replay.ts";
export { SimilarAnswers } from "./similar-answers.ts";
export { type Suggestion, type SuggestWish, suggest, suggestForAll } from "./suggest.ts";
