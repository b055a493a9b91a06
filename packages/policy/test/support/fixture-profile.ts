import type { Circumstances } from "../../src/profile/circumstances.ts";
import { type Profile, profileSchema } from "../../src/profile/profile.ts";

/** A profile for tests: seed 001's defaults with changes. */
export function fixtureProfile(changes: Partial<Profile> = {}): Profile {
  return profileSchema.parse(changes);
}

export function fixtureCircumstances(changes: Partial<Circumstances> = {}): Circumstances {
  return { enforcement: "jail", attended: true, nowMs: 1_000, ...changes };
}
