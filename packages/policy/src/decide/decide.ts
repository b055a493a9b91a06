import type { Decider, Verdict } from "@countersign/vocabulary";
import { type Coverage, cover } from "../entries/index.ts";
import type { Classification, Decision } from "../model/index.ts";
import { assess, type Circumstances, type Denial, type Entry, type Grant, type Profile } from "../profile/index.ts";
import { describeSimilar, findRepeated, findSimilar } from "./denials.ts";
import { findDenying, findPossiblyDenying } from "./deny.ts";

/** Decides by the profile before anyone is asked: deny entries first, then denials, the floor and the table. */
export function decide(classification: Classification, profile: Profile, circumstances: Circumstances): Decision {
  const rule =
    findBarrier(classification, profile, circumstances) ??
    repeatDenial(circumstances) ??
    decideFloor(classification, profile, circumstances) ??
    decideByTable(classification, profile, circumstances);
  return complete(rule, classification, circumstances);
}

/** Decides after the deadline without an answer. Silence never allows dangerous or unreadable commands. */
export function decideOnTimeout(
  classification: Classification,
  profile: Profile,
  circumstances: Circumstances,
): Decision {
  const barrier = findBarrier(classification, profile, circumstances);
  return complete(barrier ?? decideSilence(classification, profile, circumstances), classification, circumstances);
}

interface Ruling {
  readonly verdict: Verdict;
  readonly by: Decider;
  readonly reason: string;
  readonly entries?: readonly (Entry | Grant)[];
  readonly repeats?: string;
}

/** Returns the ruling that neither an answer nor an entry can change. */
function findBarrier(
  classification: Classification,
  profile: Profile,
  circumstances: Circumstances,
): Ruling | undefined {
  const entry = findDenying(classification, profile.denylist, circumstances);
  if (entry) {
    const reason = entry.why ?? `Denied by entry ${entry.pattern}`;
    return { verdict: "deny", by: "deny-entry", reason, entries: [entry] };
  }
  if (profile.security === "deny") return { verdict: "deny", by: "policy", reason: "The profile denies every command" };
  if (profile.sandbox === "required" && circumstances.enforcement !== "jail") {
    return { verdict: "deny", by: "policy", reason: "The profile requires a jail and none can be built" };
  }
  return undefined;
}

/** Repeats a person's denial for a while instead of asking again. */
function repeatDenial(circumstances: Circumstances): Ruling | undefined {
  const denial = findRepeated(circumstances);
  if (denial === undefined) return undefined;
  const { by, reason, atMs, standsUntilMs } = denial;
  const why = reason === undefined ? "" : `: ${reason}`;
  const when = `at ${iso(atMs)}; the same command can be asked about again from ${iso(standsUntilMs)}`;
  return { verdict: "deny", by: "person", reason: `Denied by ${by} ${when}${why}`, repeats: denial.approvalId };
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}

function decideFloor(
  classification: Classification,
  profile: Profile,
  { attended }: Circumstances,
): Ruling | undefined {
  const floor = classification.effects.find((effect) => effect.floor);
  if (floor === undefined) return undefined;
  if (attended && profile.ask !== "off")
    return { verdict: "ask", by: "floor", reason: `Only a person can allow this: ${floor.sentence}` };
  return {
    verdict: "deny",
    by: "floor",
    reason: `Only a person could allow this, and nobody is asked: ${floor.sentence}`,
  };
}

function decideByTable(classification: Classification, profile: Profile, circumstances: Circumstances): Ruling {
  const { security, ask } = profile;
  const similar = findSimilar(classification, circumstances);
  if (ask === "always") return asking("The profile asks about every command", circumstances);
  const possible = findPossiblyDenying(classification, profile.denylist, circumstances);
  if (security === "full" && similar === undefined && possible === undefined)
    return { verdict: "allow", by: "policy", reason: "The profile allows every command above the floor" };
  const coverage = cover(classification, profile, { ...circumstances, sinceMs: similar?.atMs });
  if (coverage.allowlisted || coverage.grant) return allowing(coverage);
  const reason = whyNot(classification, { similar, possible });
  if (ask === "off") return { verdict: "deny", by: "policy", reason: `${reason}, and the profile never asks` };
  return asking(reason, circumstances);
}

interface Against {
  readonly similar: Denial | undefined;
  readonly possible: Entry | undefined;
}

function whyNot({ opaque }: Classification, { similar, possible }: Against): string {
  if (similar !== undefined) return describeSimilar(similar);
  if (possible !== undefined) return `It may match the deny entry ${possible.pattern}`;
  return opaque
    ? "The command can't be read to its end"
    : "Not everything in the command is safe or covered by an entry";
}

function allowing({ entries, needed, allowlisted, grant }: Coverage): Ruling {
  if (!allowlisted && grant !== undefined) {
    const reason = `Its effects stay inside ${grant.root}, which a grant allows, and a jail enforces that`;
    return { verdict: "allow", by: "grant", reason, entries: [grant] };
  }
  if (!needed) return { verdict: "allow", by: "policy", reason: "Everything in the command is safe" };
  const names = [...new Set(entries.map(({ command, pattern }) => (command === undefined ? pattern : THIS_COMMAND)))];
  return { verdict: "allow", by: "entry", reason: `Covered by ${names.join(", ")}`, entries };
}

/** Doesn't quote the command, which may contain a secret. */
const THIS_COMMAND = "an entry for this exact command";

function asking(reason: string, { attended }: Circumstances): Ruling {
  if (attended) return { verdict: "ask", by: "policy", reason };
  return { verdict: "deny", by: "policy", reason: `${reason}, and nobody can be asked` };
}

function decideSilence(classification: Classification, profile: Profile, circumstances: Circumstances): Ruling {
  const deny = (reason: string): Ruling => ({
    verdict: "deny",
    by: "timeout",
    reason: `Nobody answered in time${reason}`,
  });
  if (profile.askFallback === "deny") return deny("");
  if (classification.effects.some((effect) => effect.floor)) return deny(", and only a person can allow this");
  const similar = findSimilar(classification, circumstances);
  if (profile.askFallback === "full") {
    const { riskLevel } = assess(classification, circumstances.enforcement);
    if (riskLevel === "dangerous") return deny(", and silence allows nothing dangerous");
    if (classification.opaque) return deny(", and the command can't be read to its end");
    if (similar) return deny(", and silence allows nothing similar to what a person denied");
    if (findPossiblyDenying(classification, profile.denylist, circumstances))
      return deny(", and it may match a deny entry");
    return { verdict: "allow", by: "timeout", reason: "Nobody answered in time, and the profile then allows it" };
  }
  const { allowlisted, entries } = cover(classification, profile, { ...circumstances, sinceMs: similar?.atMs });
  if (!allowlisted || entries.length === 0) return deny(", and no entry covers the command");
  return { verdict: "allow", by: "timeout", reason: "Nobody answered in time, and entries cover the command", entries };
}

function complete(ruling: Ruling, classification: Classification, circumstances: Circumstances): Decision {
  const { verdict, by, reason, entries = [], repeats } = ruling;
  const entryIds = [...new Set(entries.map((entry) => entry.id).filter((id) => id !== undefined))];
  const { riskLevel, riskReasons } = assess(classification, circumstances.enforcement);
  const similar = verdict === "ask" ? findSimilar(classification, circumstances) : undefined;
  const marks = similar === undefined ? [] : [describeSimilar(similar)];
  const decision = { verdict, by, reason, entryIds, riskLevel, riskReasons: [...riskReasons, ...marks] };
  return repeats === undefined ? decision : { ...decision, repeats };
}

/**
 * Reports whether a question may be left to the agent's own prompt, which we can't see and which may always say yes.
 * Never if the command is dangerous, is on the floor, may match a deny entry, or resembles a denied one. Callers don't
 * ask about a decision to deny.
 */
export function mayHandBack(classification: Classification, profile: Profile, circumstances: Circumstances): boolean {
  return (
    profile.handBack !== "never" &&
    assess(classification, circumstances.enforcement).riskLevel !== "dangerous" &&
    !classification.effects.some((effect) => effect.floor) &&
    findPossiblyDenying(classification, profile.denylist, circumstances) === undefined &&
    findSimilar(classification, circumstances) === undefined
  );
}
