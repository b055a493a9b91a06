export { changedOpening, OpenedFiles, openFiles } from "./open-files.ts";
export { isApproved, type Openings, openedWords, planOpenings } from "./plan-openings.ts";
