export { type Feed, Followers } from "./followers.ts";
export { type Passed, Pipeline } from "./pipeline.ts";
export { Proposals } from "./proposals.ts";
export { Recovery } from "./recover.ts";
