export { isCount } from "./counts.ts";
export { TreeFrontier, type TreeNode } from "./frontier.ts";
export { leafHash } from "./node-hash.ts";
export { type NodeReader, proveConsistency, proveInclusion } from "./prove.ts";
