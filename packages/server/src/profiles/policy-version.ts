import { ENGINE_VERSION, type Profile, TABLES } from "@countersign/policy";
import { canonicalize } from "@countersign/receipts";
import { sha256Hex } from "../sha256.ts";

const TABLES_HASH = sha256Hex(canonicalize(TABLES));

/** Names everything that a decision depends on, so that a permit made under another policy is noticed. */
export function policyVersion(profile: Profile): string {
  return `sha256:${sha256Hex(canonicalize({ engine: ENGINE_VERSION, tables: TABLES_HASH, profile }))}`;
}
