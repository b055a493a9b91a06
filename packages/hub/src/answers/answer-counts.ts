import { findRepository } from "@countersign/core/host";
import { holdsSecret } from "@countersign/core/redaction";
import { nameShapes } from "@countersign/policy";
import type { Write } from "@countersign/store";
import type { Assessment } from "../proposals/index.ts";

/** What it is called, as far as that can be kept. */
export function shapesOf({ classification }: Pick<Assessment, "classification">): string[] {
  return nameShapes(classification.parts).filter((shape) => shape.isWellFormed() && !holdsSecret(shape));
}

/** Where the same words are likely to mean the same: a repository counts as a whole, wherever its agent may work. */
export function placeOf({ proposal: { cwd } }: Pick<Assessment, "proposal">): string {
  return findRepository(cwd, ["/"]) ?? cwd;
}

/** So that the next one who is asked is told how it was answered before. */
export function countAnswer(assessment: Assessment, verdict: "allow" | "deny", atMs: number): Write[] {
  const shapes = shapesOf(assessment);
  const directory = placeOf(assessment);
  if (shapes.length === 0 || holdsSecret(directory)) return [];
  return [{ op: "count-answer", profileId: assessment.proposal.profileId, directory, shapes, verdict, atMs }];
}
