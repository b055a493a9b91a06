import { homedir } from "node:os";
import {
  type Classification,
  type ClassifyContext,
  classify,
  type Decision,
  decide,
  type Enforcement,
  type Jail,
  type Profile,
} from "@countersign/policy";
import { canonicalize } from "@countersign/receipts";
import type { Clock } from "../clock.ts";
import { realPathAsFarAsItExists } from "../machine/real-path.ts";
import { remember } from "../machine/remember.ts";
import { type Binding, type BindingRooms, bind } from "../permit/binding.ts";
import type { ActiveProfiles } from "../profiles/active-profiles.ts";
import { policyVersion } from "../profiles/policy-version.ts";
import { sha256Hex } from "../sha256.ts";
import type { Proposal } from "./proposal.ts";

/** A proposal that was read and decided by policy, with everything that the decision rests on. */
export interface Considered {
  readonly proposal: Proposal;
  readonly classification: Classification;
  readonly decision: Decision;
  /** Null when the profile can't be read; then the decision is to deny. */
  readonly profile: Profile | null;
  readonly enforcement: Enforcement;
  readonly jail: Jail;
  readonly binding: Binding;
  readonly proposalHash: string;
}

export interface ConsiderRooms extends BindingRooms {
  readonly profiles: ActiveProfiles;
  readonly clock: Clock;
  readonly protectedPaths: readonly string[];
}

/** Classifies and decides; looks at the machine, changes nothing. */
export async function consider(proposal: Proposal, rooms: ConsiderRooms): Promise<Considered> {
  const classification = classify(proposal.command, contextOf(proposal, rooms));
  // No jail is built yet: whatever we run ourselves runs unjailed, and says so.
  const enforcement = proposal.executor.kind === "external" ? proposal.executor.enforcement : "none";
  const jail: Jail = "none";
  const reading = await rooms.profiles.current(proposal.profileId);
  const profile = reading.ok ? reading.profile : null;
  const decision = reading.ok
    ? decide(classification, reading.profile, { enforcement, attended: proposal.attended, nowMs: rooms.clock.wallMs() })
    : denyUnreadable(classification, reading.problem);
  const version = profile ? policyVersion(profile) : "unreadable";
  const binding = await bind(proposal, { classification, policyVersion: version, jail }, rooms);
  const { command, cwd, env } = proposal;
  const proposalHash = `sha256:${sha256Hex(canonicalize({ command, cwd, env }))}`;
  return { proposal, classification, decision, profile, enforcement, jail, binding, proposalHash };
}

function contextOf(proposal: Proposal, rooms: ConsiderRooms): ClassifyContext {
  return {
    cwd: proposal.cwd,
    home: homedir(),
    roots: proposal.roots,
    env: proposal.env,
    protectedPaths: rooms.protectedPaths,
    resolveProgram: remember((name) => rooms.trustedPath.resolve(name, proposal.roots)),
    realpath: remember(realPathAsFarAsItExists),
  };
}

function denyUnreadable({ riskLevel, riskReasons }: Classification, problem: string): Decision {
  return { verdict: "deny", by: "policy", reason: problem, entryIds: [], riskLevel, riskReasons };
}
