export { type Feed, Followers } from "./followers.ts";
export type { Passed, PipelineRooms } from "./pipeline.ts";
export { Proposals } from "./proposals.ts";
export { recover } from "./recover.ts";
