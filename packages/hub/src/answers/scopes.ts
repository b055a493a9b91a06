import type { Clock, Limits, Log } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { filterSecrets, filterSecretsDeep, holdsSecret, NOT_KEPT } from "@countersign/core/redaction";
import {
  deriveEntries,
  type Extent,
  offerScopes,
  planScope,
  readScope,
  type Scope,
  type ScopePlan,
  type ScopeSetting,
} from "@countersign/policy";
import type { AnswerResult, ScopeOffer } from "@countersign/protocol/proposals";
import type { Json } from "@countersign/receipts";
import type { GrantRecord, Write } from "@countersign/store";
import { uuidv7 } from "uuidv7";
import type { Assurance } from "../identity/index.ts";
import { type ActiveProfiles, nameForRecord } from "../policies/index.ts";
import type { Assessment } from "../proposals/index.ts";
import { bodyOf, type Grants, insertGrants } from "./grants.ts";

/** An answer that allows more than this once. */
export interface LastingAnswer {
  readonly person: string;
  readonly assurance: Assurance["level"];
  readonly scope?: string | undefined;
  readonly why?: string | undefined;
}

/** What it comes to, before anything follows from it. */
export interface Saving {
  /** Committed together with the answer. */
  readonly writes: readonly Write[];
  /** For the record of the decision. */
  readonly facts: { readonly [key: string]: Json };
  /** Called once the answer is durable. Never throws: the command is allowed either way, so what went wrong is told. */
  save(): Promise<Pick<AnswerResult, "saved" | "note">>;
}

/** Keeps what answers allow beyond this once: in a profile's file, or in the store for a while. */
export class AnswerSaver {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #log: Log;
  readonly #profiles: ActiveProfiles;
  readonly #grants: Grants;

  constructor(options: {
    readonly clock: Clock;
    readonly limits: Limits;
    readonly log: Log;
    readonly profiles: ActiveProfiles;
    readonly grants: Grants;
  }) {
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#log = options.log;
    this.#profiles = options.profiles;
    this.#grants = options.grants;
  }

  /** Throws a HubError where the scope can't be: then the answer has no effect at all. */
  plan(assessment: Assessment, answer: LastingAnswer): Saving {
    // What lasts changes the policy, and there a profile may take only a device's word.
    const unsure = assessment.profile?.assurance === "device" && answer.assurance !== "device";
    if (answer.scope === undefined) {
      const plan = unsure
        ? { entries: [], grants: [], note: `Allowed this once. ${DEVICE_ONLY}` }
        : planAlways(assessment);
      return { writes: [], facts: {}, save: () => this.#saveInProfile(assessment, plan, answer) };
    }
    if (unsure) throw new HubError("UNAUTHORIZED", DEVICE_ONLY);
    const planned = planAnswer(assessment, answer.scope, this.#limits);
    if ("refusal" in planned) throw new HubError("INVALID_PARAMS", `scope: ${planned.refusal}`);
    const { scope, plan, lifeMs } = planned;
    const facts = { scope: filterSecrets(answer.scope) };
    if (lifeMs === undefined) {
      return { writes: [], facts, save: () => this.#saveInProfile(assessment, plan, answer) };
    }
    return this.#saveInStore(assessment, plan, { answer, scope, lifeMs, facts });
  }

  async #saveInProfile(
    { proposal: { profileId } }: Assessment,
    { entries, grants, note }: ScopePlan,
    answer: LastingAnswer,
  ): Promise<Pick<AnswerResult, "saved" | "note">> {
    const told = noteOf(note);
    if (entries.length + grants.length === 0) return { saved: [], ...told };
    try {
      await this.#profiles.add(profileId, { entries, grants }, { by: answer.person, ...whyOf(answer) });
      return { saved: namesOf({ entries, grants }), ...told };
    } catch (cause) {
      this.#log.error({ profile: profileId, err: cause }, "entries of an answer could not be saved");
      const why = cause instanceof Error ? cause.message : String(cause);
      return { saved: [], note: `Allowed this once; the entry could not be saved: ${why}` };
    }
  }

  #saveInStore(assessment: Assessment, plan: ScopePlan, { answer, scope, lifeMs, facts }: Stored): Saving {
    const { sessionId, profileId } = assessment.proposal;
    const made = [...plan.entries, ...plan.grants];
    this.#grants.reserve(made.length, { sessionId, profileId });
    const atMs = this.#clock.wallMs();
    const where = { profileId, sessionId: scope.extent.kind === "session" ? sessionId : null };
    const records = made.map((one): GrantRecord => {
      const id = uuidv7();
      const origin = { id, by: answer.person, ...whyOf(answer), atMs, expiresAtMs: atMs + lifeMs };
      const kind = "root" in one ? "effects" : "entry";
      return { id, ...where, atMs, expiresAtMs: origin.expiresAtMs, kind, body: bodyOf({ ...one, ...origin }) };
    });
    const added = [...plan.entries.map(nameForRecord), ...plan.grants.map(({ root }) => root)];
    const body = { profile: profileId, by: answer.person, added, ...facts, grants: records.map(({ id }) => id) };
    const draft = { type: "policy-changed", sessionId: where.sessionId, proposalKey: null, atMs, body } as const;
    const { note } = plan;
    return {
      writes: [...insertGrants(records), { op: "append", draft }],
      facts,
      save: () => {
        this.#grants.add(records);
        return Promise.resolve({ saved: namesOf(plan), ...noteOf(note) });
      },
    };
  }
}

/** What an answer with this scope would save, and for how long; undefined: until it is taken back. */
export interface PlannedAnswer {
  readonly scope: Scope;
  readonly plan: ScopePlan;
  readonly lifeMs: number | undefined;
}

export function planAnswer(
  assessment: Assessment,
  text: string,
  limits: Limits,
): PlannedAnswer | { readonly refusal: string } {
  const scope = readScope(text);
  if (!scope) return { refusal: NO_SCOPE };
  const plan = planScope(scope, assessment.classification, settingOf(assessment));
  if ("refusal" in plan) return plan;
  if (holdsSecret([plan.entries, plan.grants])) return { refusal: NOT_KEPT };
  return { scope, plan, lifeMs: lifeOf(scope.extent, limits) };
}

/** The ways to allow it more than once, for whoever is asked. */
export function offerFor(assessment: Assessment): ScopeOffer[] {
  return offerScopes(assessment.classification, settingOf(assessment))
    .filter(({ saves }) => !holdsSecret(saves))
    .map(({ saves, ...offer }) => ({ ...filterSecretsDeep(offer), saves: [...saves] }));
}

const DEVICE_ONLY = "This profile takes only a device's signature for what allows more than once";
const NO_SCOPE =
  "isn't <match>@<extent>, with exact, program, effects or pattern:… before the @, and session, directory, repository, forever or minutes (30m) behind it";

/** Seed 001's `allow-always`. */
function planAlways({ classification, proposal, profile, enforcement, circumstances }: Assessment): ScopePlan {
  const { entries, note, open } = deriveEntries(classification, {
    roots: proposal.roots,
    safeIsMiss: profile?.safeIsMiss ?? false,
    enforcement,
    hashFile: circumstances.hashFile,
  });
  const kept = entries.filter((entry) => !holdsSecret(entry));
  const notes = [note, open, kept.length < entries.length ? NOT_KEPT : undefined].filter((one) => one !== undefined);
  return { entries: kept, grants: [], ...(notes.length > 0 ? { note: notes.join(". ") } : {}) };
}

function settingOf({ proposal, profile, circumstances, repository }: Assessment): ScopeSetting {
  if (profile === null) throw new HubError("INVALID_PARAMS", "scope: the profile can't be read");
  const { roots, cwd } = proposal;
  return { profile, circumstances, roots, cwd, repository };
}

/** How long it is kept in the store; undefined for what the profile's file holds. */
function lifeOf(extent: Extent, limits: Limits): number | undefined {
  if (extent.kind === "session") return limits.sessionGrantMs;
  return extent.kind === "minutes" ? extent.minutes * 60_000 : undefined;
}

interface Stored {
  readonly answer: LastingAnswer;
  readonly scope: Scope;
  readonly lifeMs: number;
  readonly facts: { readonly [key: string]: Json };
}

function namesOf({ entries, grants }: Pick<ScopePlan, "entries" | "grants">): string[] {
  return [...entries.map(({ command, pattern }) => command ?? pattern), ...grants.map(({ root }) => root)];
}

/** What can't be saved is quoted. */
function noteOf(note: string | undefined): { note?: string } {
  return note === undefined ? {} : { note: filterSecrets(note) };
}

function whyOf({ why }: LastingAnswer): { why?: string } {
  return why === undefined ? {} : { why: filterSecrets(why) };
}
