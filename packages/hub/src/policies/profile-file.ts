import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sha256Hex, writeFileAtomically } from "@countersign/core/base";
import { describeIssues } from "@countersign/core/errors";
import { filterSecrets } from "@countersign/core/redaction";
import { describeWidening, meetProfiles, type Profile, profileSchema, readProfile } from "@countersign/policy";
import { canonicalize, parseJson } from "@countersign/receipts";
import type { Store } from "@countersign/store";
import { withDefaults } from "./built-in-profiles.ts";
import { applyEdit, type ProfileEdit } from "./profile-edit.ts";

export type ProfileFile =
  | { readonly kind: "read"; readonly profile: Profile; readonly hash: string }
  /** Unreadable or invalid: everything under this profile is denied until it is mended. */
  | { readonly kind: "broken"; readonly problem: string };

/** `profiles/<id>/config.json`. A missing file is the defaults; a broken one is never read as if it were missing. */
export function readProfileFile(profilesDir: string, profileId: string): ProfileFile {
  const path = profilePath(profilesDir, profileId);
  const json = readJson(path);
  if ("problem" in json) return { kind: "broken", problem: json.problem };
  const reading = readProfile(withDefaults(profileId, json.value));
  if (!reading.ok) return { kind: "broken", problem: `${path} is invalid: ${reading.problems.slice(0, 5).join("; ")}` };
  return { kind: "read", profile: reading.profile, hash: profileHash(reading.profile) };
}

/** Profiles that have a directory of their own. */
export function profileIds(profilesDir: string): string[] {
  const found = readdirSync(profilesDir, { withFileTypes: true });
  return found.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

/** One sentence for each file that can't be used. */
export function brokenProfiles(profilesDir: string): string[] {
  const files = profileIds(profilesDir).map((id) => readProfileFile(profilesDir, id));
  return files.flatMap((file) => (file.kind === "broken" ? [`${file.problem}.`] : []));
}

/** Changes the lists of the file as it is now, unknown keys kept, and nothing else. */
export async function editProfileFile(profilesDir: string, profileId: string, edit: ProfileEdit): Promise<void> {
  const path = profilePath(profilesDir, profileId);
  const json = readJson(path);
  if ("problem" in json) throw new Error(json.problem);
  const { execApproval = {}, ...rest } = json.value as { execApproval?: object };
  const file = { ...rest, execApproval: applyEdit(execApproval, edit) };
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFileAtomically(path, `${JSON.stringify(file, null, 2)}\n`);
}

export function profilePath(profilesDir: string, profileId: string): string {
  return join(profilesDir, profileId, "config.json");
}

/** Of the profile as the engine reads it, so that white space and key order aren't changes. */
export function profileHash(profile: Profile): string {
  return `sha256:${sha256Hex(canonicalize(profile))}`;
}

/** Room for ten thousand entries with their reasons. */
const MAX_BYTES = 16 * 1024 * 1024;
/** For what else stands in the file. */
const SPARE_BYTES = 64 * 1024;

/** Whether the file could still be read with all of this in it. */
export function fitsFile(profile: Profile): boolean {
  return Buffer.byteLength(JSON.stringify(profile, null, 2)) + SPARE_BYTES <= MAX_BYTES;
}

function readJson(path: string): { readonly value: unknown } | { readonly problem: string } {
  let text: string;
  try {
    const size = statSync(path).size;
    if (size > MAX_BYTES) return { problem: `${path} is larger than ${MAX_BYTES} bytes` };
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return { value: {} };
    return { problem: `${path} can't be read (${(cause as Error).message})` };
  }
  try {
    return { value: parseJson(text) };
  } catch (cause) {
    return { problem: `${path} isn't valid JSON (${filterSecrets((cause as Error).message)})` };
  }
}

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
