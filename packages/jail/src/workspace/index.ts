export { Stamper } from "./entry-stamp.ts";
export { gitDirectoryOf, linkedRepository } from "./git-directory.ts";
export {
  type Guard,
  type GuardFacts,
  type GuardReport,
  NOTHING,
  WorkspaceGuards,
} from "./guard-workspace.ts";
export { type JailReport, leftWords, some } from "./jail-report.ts";
export { misplacedSteps } from "./misplaced-steps.ts";
export { OpenLooks } from "./open-looks.ts";
export { hidePlaces, pinPlaces } from "./pin-places.ts";
export { Placeholders } from "./placeholders.ts";
export { emptyDirectory, removeWhole } from "./remove-whole.ts";
