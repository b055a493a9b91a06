export { cutJail, isWider, type JailCut, type JailKind, usesGit } from "./cut-jail.ts";
export { type Foreseen, foresee } from "./foresee.ts";
export { hiddenTrees, outermost, TEMPORARY } from "./hidden-trees.ts";
export type { JailView, PlaceStep } from "./jail-view.ts";
export { isReachableByAll } from "./reachable.ts";
export { type Ids, isWithinReach } from "./within-reach.ts";
