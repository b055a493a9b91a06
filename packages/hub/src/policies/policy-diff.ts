import { fileDiff } from "@countersign/core/redaction";
import { type Profile, profileSchema } from "@countersign/policy";

/** What changes from one profile to another, as lines: both written alike, so that only what they say differs. */
export function profileDiff(before: Profile, after: Profile): string {
  return policyDiff(profileSchema.parse(before), profileSchema.parse(after));
}

/** Of any two that are written in the same order; null where there was, or will be, none. */
export function policyDiff(before: object | null, after: object | null): string {
  return fileDiff(textOf(before), textOf(after));
}

function textOf(value: object | null): string {
  return value === null ? "" : `${JSON.stringify(value, null, 2)}\n`;
}
