export {
  answeredDecisionWrites,
  decisionEntry,
  endedFields,
  newDecisionWrites,
  openingWrites,
} from "./decision-writes.ts";
export { type Answerer, endedDraft, previewDecidedDraft, previewEndedDraft } from "./drafts.ts";
export { proposalFromRecord } from "./from-record.ts";
export {
  type End,
  type RecordRooms,
  recordEnd,
  recordStart,
  recordUnconfirmed,
  startWrites,
  withoutSecrets,
} from "./record-run.ts";
export { refusalKind, refusedOutcome } from "./refused-outcome.ts";
