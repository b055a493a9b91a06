import { isWider, type JailKind } from "@countersign/jail";
import type { Circumstances, Decision, Entry, Profile } from "@countersign/policy";

interface Decided {
  readonly decision: Decision;
  readonly profile: Profile | null;
  readonly circumstances: Circumstances;
}

/** The jail that the entries say which allowed it; of several the narrowest, and none unless all say one. */
export function jailOfEntries(decided: Decided): JailKind | undefined {
  const jails = entriesBehind(decided).map(({ jail }) => jail);
  return jails.reduce((one, other) => (one && other ? (isWider(one, other) ? other : one) : undefined), jails[0]);
}

/** Whether every entry that allowed it also lends credentials. */
export function entriesLend(decided: Decided): boolean {
  const entries = entriesBehind(decided);
  return entries.length > 0 && entries.every(({ lend }) => lend === true);
}

function entriesBehind({ decision, profile, circumstances }: Decided): Entry[] {
  if (decision.by !== "entry") return [];
  const all = [...(profile?.allowlist ?? []), ...(circumstances.allowed?.entries ?? [])];
  return all.filter(({ id }) => id !== undefined && decision.entryIds.includes(id));
}
