export {
  answeredDecisionWrites,
  decisionEntry,
  endedFields,
  newDecisionWrites,
  openingWrites,
} from "./decision-writes.ts";
export { type Answerer, endedDraft, previewDecidedDraft, previewEndedDraft } from "./drafts.ts";
export { proposalFromRecord } from "./from-record.ts";
export { type End, RunRecords, startWrites, withoutSecrets } from "./record-run.ts";
export { refusalKind, refusedOutcome } from "./refused-outcome.ts";
