import { describeIssues } from "@countersign/core/errors";
import { describeWidening, meetProfiles, type Profile, profileSchema } from "@countersign/policy";
import type { Store } from "@countersign/store";

export function acceptedKey(profileId: string): string {
  return `profile.${profileId}.accepted`;
}

/** The profile as a person or a tightening last left it. */
export async function acceptedProfile(profileId: string, store: Pick<Store, "setting">): Promise<Profile | undefined> {
  const stored = await store.setting(acceptedKey(profileId));
  if (stored === undefined) return undefined;
  // Not held to its keys: an older version accepted mistyped ones, which the file is refused for.
  const reading = profileSchema.safeParse(stored);
  // Written by us; if it can't be read, the store was changed by someone else: nothing is accepted that we can't read.
  if (!reading.success)
    throw new Error(`the accepted profile ${profileId} can't be read: ${describeIssues(reading.error, "profile")}`);
  return reading.data;
}

/** Of what the file wants, what holds before anyone is asked: all that it tightens, and what of the rest is accepted. */
export function inForce(
  accepted: Profile,
  wanted: Profile,
): { readonly profile: Profile; readonly widening: readonly string[] } {
  const widening = describeWidening(accepted, wanted);
  return { widening, profile: widening.length === 0 ? wanted : meetProfiles(accepted, wanted) };
}
