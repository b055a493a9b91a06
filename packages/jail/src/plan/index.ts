export { hiddenTrees, outermost, TEMPORARY } from "./hidden-trees.ts";
export type { JailView, PlaceStep } from "./jail-view.ts";
export { ownHosts } from "./own-hosts.ts";
export { isWider, type JailKind, type JailPlan, planJail, usesGit } from "./plan-jail.ts";
export { type PredictedPath, predictPaths } from "./predicted-paths.ts";
export { type Ids, isReachableByAll, isWithinReach } from "./within-reach.ts";
