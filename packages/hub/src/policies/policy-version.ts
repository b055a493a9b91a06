import { sha256Hex } from "@countersign/core/base";
import { ENGINE_VERSION, type Profile, TABLES } from "@countersign/policy";
import { canonicalize } from "@countersign/receipts";

const TABLES_HASH = sha256Hex(canonicalize(TABLES));

const known = new WeakMap<Profile, string>();

/** Names everything that a decision depends on, so that a permit made under another policy is noticed. */
export function policyVersion(profile: Profile): string {
  const version = known.get(profile) ?? compute(profile);
  // A profile object never changes: an edit is read into a new one.
  known.set(profile, version);
  return version;
}

function compute(profile: Profile): string {
  return `sha256:${sha256Hex(canonicalize({ engine: ENGINE_VERSION, tables: TABLES_HASH, profile }))}`;
}
