export { EndedFlows, endFlows, listFlows } from "./conntrack.ts";
export { type TrackedFlow, type Tuple, tupleKey } from "./decode-flow.ts";
