import { findRepository } from "@countersign/core/host";
import { holdsSecret } from "@countersign/core/redaction";
import { nameShapes } from "@countersign/policy";
import type { Write } from "@countersign/store";
import type { Considered } from "../proposals/index.ts";

/** What it is called, as far as that can be kept. */
export function shapesOf({ classification }: Pick<Considered, "classification">): string[] {
  return nameShapes(classification.parts).filter((shape) => shape.isWellFormed() && !holdsSecret(shape));
}

/** Where the same words are likely to mean the same: a repository counts as a whole, wherever its agent may work. */
export function placeOf({ proposal: { cwd } }: Pick<Considered, "proposal">): string {
  return findRepository(cwd, ["/"]) ?? cwd;
}

/** So that the next one who is asked is told how it was answered before. */
export function countAnswer(considered: Considered, verdict: "allow" | "deny", atMs: number): Write[] {
  const shapes = shapesOf(considered);
  const directory = placeOf(considered);
  if (shapes.length === 0 || holdsSecret(directory)) return [];
  return [{ op: "count-answer", profileId: considered.proposal.profileId, directory, shapes, verdict, atMs }];
}
