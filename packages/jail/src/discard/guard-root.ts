import { statSync } from "node:fs";
import { dirname } from "node:path";
import { kindAt } from "@countersign/core/host/fs";
import { nodePath } from "@countersign/native";
import type { PlaceStep } from "../plan/index.ts";
import { findPlaces, maskedNames } from "../sensitive/index.ts";
import { type GuardFacts, hidePlaces, pinPlaces } from "../workspace/index.ts";

export interface GuardedRoot {
  readonly steps: readonly PlaceStep[];
  /** Names that are held by directories which the jail makes in what is thrown away. */
  readonly masks: readonly string[];
}

/** What a jail covers in a workspace, as for a real run, without putting anything into the workspace itself. */
export async function guardRoot(facts: GuardFacts): Promise<GuardedRoot> {
  const { root, home, isGit, writable } = facts;
  const places = await findPlaces(root, { home, isGit });
  if (!writable) return { steps: hidePlaces(root, places), masks: [] };
  const owner = statSync(root).uid;
  const masks = maskedNames({ ...facts, places }).filter((path) => canBeMade(path, owner));
  return { steps: pinPlaces({ ...facts, places, masks }).steps, masks };
}

const OWNER_WRITES = 0o300;

/** Where the workspace's owner can't make anything, a jail can't either. */
function canBeMade(path: string, owner: number): boolean {
  const parent = dirname(path);
  if (kindAt(path) !== undefined || kindAt(parent) !== "directory") return false;
  const { uid, mode } = statSync(nodePath(parent));
  return uid === owner && (mode & OWNER_WRITES) === OWNER_WRITES;
}
