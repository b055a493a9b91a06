import { assess } from "./assess.ts";
import type { Classification, Part } from "./classification.ts";
import { type Coverage, cover } from "./cover.ts";
import type { Circumstances, Decider, Decision, Verdict } from "./decision.ts";
import { candidates } from "./index-entries.ts";
import { matchesDenied } from "./match-entry.ts";
import type { Entry, Profile } from "./profile.ts";

/** What the profile says about a command before anyone is asked: deny entries, the floor, then the table. */
export function decide(classification: Classification, profile: Profile, circumstances: Circumstances): Decision {
  const rule =
    findBarrier(classification, profile, circumstances) ?? decideFloor(classification, profile, circumstances);
  return complete(rule ?? decideByTable(classification, profile, circumstances), classification, circumstances);
}

/** What happens when the deadline passed and nobody answered. Silence never consents to danger or to what can't be read. */
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
  readonly entries?: readonly Entry[];
}

/** What no answer and no entry can lift. */
function findBarrier(
  classification: Classification,
  profile: Profile,
  circumstances: Circumstances,
): Ruling | undefined {
  for (const part of classification.parts) {
    const entry = findDenying(part, profile, circumstances.nowMs);
    if (entry)
      return {
        verdict: "deny",
        by: "deny-entry",
        reason: entry.why ?? `Denied by entry ${entry.pattern}`,
        entries: [entry],
      };
  }
  if (profile.security === "deny") return { verdict: "deny", by: "policy", reason: "The profile denies every command" };
  if (profile.sandbox === "required" && circumstances.enforcement !== "jail") {
    return { verdict: "deny", by: "policy", reason: "The profile requires a jail and none can be built" };
  }
  return undefined;
}

function findDenying(part: Part, profile: Profile, nowMs: number): Entry | undefined {
  return candidates(profile.denylist, part, nowMs).find(({ pattern }) => matchesDenied(pattern, part))?.entry;
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
  const coverage = cover(classification, profile, circumstances);
  if (ask === "always") return asking("The profile asks about every command", circumstances);
  if (security === "full")
    return { verdict: "allow", by: "policy", reason: "The profile allows every command above the floor" };
  if (coverage.allowlisted) return allowing(coverage);
  const reason = classification.opaque
    ? "The command can't be read to its end"
    : "Not everything in the command is safe or covered by an entry";
  if (ask === "off") return { verdict: "deny", by: "policy", reason: `${reason}, and the profile never asks` };
  return asking(reason, circumstances);
}

function allowing({ entries, needed }: Coverage): Ruling {
  if (!needed) return { verdict: "allow", by: "policy", reason: "Everything in the command is safe", entries };
  const patterns = [...new Set(entries.map((entry) => entry.pattern))].join(", ");
  return { verdict: "allow", by: "entry", reason: `Covered by ${patterns}`, entries };
}

function asking(reason: string, { attended }: Circumstances): Ruling {
  if (attended) return { verdict: "ask", by: "policy", reason };
  return { verdict: "deny", by: "policy", reason: `${reason}, and nobody can be asked` };
}

function decideSilence(classification: Classification, profile: Profile, circumstances: Circumstances): Ruling {
  const deny = (reason: string): Ruling => ({ verdict: "deny", by: "timeout", reason });
  if (profile.askFallback === "deny") return deny("Nobody answered in time");
  if (classification.effects.some((effect) => effect.floor))
    return deny("Nobody answered in time, and only a person can allow this");
  if (profile.askFallback === "full") {
    const { riskLevel } = assess(classification, circumstances.enforcement);
    if (riskLevel === "dangerous") return deny("Nobody answered in time, and silence allows nothing dangerous");
    if (classification.opaque) return deny("Nobody answered in time, and the command can't be read to its end");
    return { verdict: "allow", by: "timeout", reason: "Nobody answered in time, and the profile then allows" };
  }
  const { allowlisted, entries } = cover(classification, profile, circumstances);
  if (!allowlisted || entries.length === 0) return deny("Nobody answered in time, and no entry covers the command");
  return { verdict: "allow", by: "timeout", reason: "Nobody answered in time, and entries cover the command", entries };
}

function complete(ruling: Ruling, classification: Classification, circumstances: Circumstances): Decision {
  const { verdict, by, reason, entries = [] } = ruling;
  const entryIds = [...new Set(entries.map((entry) => entry.id).filter((id) => id !== undefined))];
  return { verdict, by, reason, entryIds, ...assess(classification, circumstances.enforcement) };
}
