import { type Clock, remember } from "@countersign/core/base";
import { type FileHashes, homeDirectory } from "@countersign/core/host";
import { realPathAsFarAsItExists, type TrustedPath } from "@countersign/core/host/fs";
import { ownHosts } from "@countersign/jail";
import {
  type Circumstances,
  type Classification,
  classify,
  type Decision,
  decide,
  type Machine,
  type Profile,
  type ShowScript,
} from "@countersign/policy";
import type { Enforcement } from "@countersign/vocabulary";
import type { CurrentPolicy, Policies } from "../policies/index.ts";
import { type CodeHashes, gatherCode } from "./code-files.ts";
import { hashProposal, type Proposal } from "./proposal.ts";
import { readScripts } from "./read-scripts.ts";
import { judgeSearch } from "./search-exposure.ts";

/** What a proposal would do, and what policy says about it. */
export interface Judged {
  readonly classification: Classification;
  readonly circumstances: Circumstances;
  readonly decision: Decision;
  /** With all layers. Null when one can't be read; then the decision is to deny. */
  readonly profile: Profile | null;
  readonly code: CodeHashes;
  /** What stands in the scripts that it runs. */
  readonly showScript: ShowScript;
}

/** What people allowed and denied that bears on a proposal, beside the profile. */
export type RememberedAnswers = Pick<Circumstances, "allowed" | "denials">;

/** Classifies and decides; looks at the machine, changes nothing. */
export class Judge {
  readonly #clock: Pick<Clock, "wallMs">;
  readonly #policies: Pick<Policies, "of">;
  readonly #protectedPaths: readonly string[];
  readonly #trustedPath: TrustedPath;
  readonly #hashes: FileHashes;
  readonly #hasJail: boolean;
  readonly #rememberedAnswers: (proposal: Pick<Proposal, "sessionId" | "profileId">) => RememberedAnswers;

  constructor(options: {
    readonly clock: Pick<Clock, "wallMs">;
    readonly policies: Pick<Policies, "of">;
    readonly protectedPaths: readonly string[];
    readonly trustedPath: TrustedPath;
    readonly hashes: FileHashes;
    /** Whether what we run ourselves can be jailed. */
    readonly hasJail: boolean;
    readonly rememberedAnswers: (proposal: Pick<Proposal, "sessionId" | "profileId">) => RememberedAnswers;
  }) {
    this.#clock = options.clock;
    this.#policies = options.policies;
    this.#protectedPaths = options.protectedPaths;
    this.#trustedPath = options.trustedPath;
    this.#hashes = options.hashes;
    this.#hasJail = options.hasJail;
    this.#rememberedAnswers = options.rememberedAnswers;
  }

  async judge(proposal: Proposal): Promise<Judged> {
    const classification = await judgeSearch(classify(proposal.command, this.#machineOf(proposal)), proposal);
    const code = await gatherCode(classification.parts, proposal.cwd, this.#hashes);
    const reading = await this.#policies.of(proposal, classification);
    const circumstances: Circumstances = {
      enforcement: this.#enforcementOf(proposal, reading),
      attended: proposal.attended,
      nowMs: this.#clock.wallMs(),
      proposalHash: hashProposal(proposal),
      hashFile: (path) => code.get(path),
      ...this.#rememberedAnswers(proposal),
    };
    const showScript = await readScripts(classification.effects, code);
    const judged = { classification, circumstances, code, showScript };
    if (!reading.ok) return { ...judged, profile: null, decision: denyUnreadable(classification, reading.problem) };
    const decision = decide(classification, reading.profile, circumstances);
    return { ...judged, profile: reading.profile, decision };
  }

  /** The circumstances as they are now: time has passed, and people may have allowed or denied something. */
  currentCircumstances({
    circumstances,
    proposal,
  }: {
    readonly circumstances: Circumstances;
    readonly proposal: Proposal;
  }): Circumstances {
    return { ...circumstances, ...this.#rememberedAnswers(proposal), nowMs: this.#clock.wallMs() };
  }

  /** How far what is decided is also what can happen. */
  #enforcementOf({ executor }: Proposal, reading: CurrentPolicy): Enforcement {
    if (executor.kind === "external") return executor.enforcement;
    const wanted = reading.ok && reading.profile.sandbox !== "off";
    return wanted && this.#hasJail ? "jail" : "none";
  }

  #machineOf(proposal: Proposal): Machine {
    return {
      cwd: proposal.cwd,
      home: homeDirectory(),
      roots: proposal.roots,
      env: proposal.env,
      protectedPaths: this.#protectedPaths,
      ...(proposal.executor.kind === "external" && proposal.shell !== undefined ? { shell: proposal.shell } : {}),
      resolveProgram: remember((name) => this.#trustedPath.resolve(name, proposal.roots)),
      realpath: remember(realPathAsFarAsItExists),
      hostsIn: (settings) => ownHosts(settings, { home: homeDirectory(), roots: proposal.roots, env: process.env }),
    };
  }
}

export function denyUnreadable({ riskLevel, riskReasons }: Classification, problem: string): Decision {
  return { verdict: "deny", by: "policy", reason: problem, entryIds: [], riskLevel, riskReasons };
}
