export { type FollowOptions, followOutput } from "./follow-output.ts";
export { type FollowRunsOptions, followRuns } from "./follow-runs.ts";
