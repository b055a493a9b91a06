import type { Classification } from "../model/index.ts";
import { assess, type Circumstances, findSimilar, type Profile } from "../profile/index.ts";
import { findPossiblyDenying } from "./find-denying.ts";

/**
 * Whether a question may be left to the agent's own prompt, which we can't see, and which may have been told to say yes. Never
 * what is dangerous, only a person may allow, may come to what an entry denies, or resembles what a person denied. A decision to
 * deny is no question: that isn't asked here.
 */
export function mayHandBack(classification: Classification, profile: Profile, circumstances: Circumstances): boolean {
  return (
    profile.handBack !== "never" &&
    assess(classification, circumstances.enforcement).riskLevel !== "dangerous" &&
    !classification.effects.some((effect) => effect.floor) &&
    findPossiblyDenying(classification, profile.denylist, circumstances) === undefined &&
    findSimilar(classification, circumstances) === undefined
  );
}
