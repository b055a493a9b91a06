export {
  type ConsistencyClaim,
  checkConsistency,
  checkInclusion,
  type InclusionClaim,
  type TreeHead,
} from "./check-proof.ts";
export { RegrownTree } from "./recompute-tree.ts";
