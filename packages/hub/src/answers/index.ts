export { placeOf, shapesOf } from "./answer-counts.ts";
export { readOnce } from "./asks-again.ts";
export { Denials } from "./denials.ts";
export { considerEdit, permitEdit } from "./edited-answer.ts";
export { Grants } from "./grants.ts";
export { LateAnswers } from "./late-answers.ts";
export { refuseUnsure } from "./needs-device.ts";
export {
  type LastingAnswer,
  offerFor,
  type PlannedAnswer,
  planAnswer,
  planSaving,
  type Saving,
} from "./save-answer.ts";
export { ToolPins } from "./tool-pins.ts";
export { whatFollows } from "./what-follows.ts";
