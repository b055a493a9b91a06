export { commitBatch, type Progress, type Writer } from "./commit-batch.ts";
export { GroupCommit } from "./group-commit.ts";
