export { type Feed, Followers } from "./followers.ts";
export { Pipeline, type PipelineResult } from "./pipeline.ts";
export { Proposals } from "./proposals.ts";
export { Recovery } from "./recover.ts";
