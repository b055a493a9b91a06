import type { Clock, Log } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { stampOf } from "@countersign/core/host";
import { redactSentence } from "@countersign/core/redaction";
import { describeWidening, type Entry, type Grant, type Profile, profileSchema } from "@countersign/policy";
import type { Json } from "@countersign/receipts";
import type { Store, Write } from "@countersign/store";
import { uuidv7 } from "uuidv7";
import { refuseReplay } from "../identity/index.ts";
import type { ActiveOrganisation } from "./active-organisation.ts";
import { defaultProfile, isBuiltIn } from "./built-in-profiles.ts";
import type { Pause } from "./pause.ts";
import { type HeldChange, type PolicyChange, PolicyQuestion, profileDiff } from "./policy-question.ts";
import { applyEdit, findEntries, nameForRecord, narrowed, type ProfileEdit } from "./profile-edit.ts";
import {
  acceptedKey,
  acceptedProfile,
  editProfileFile,
  fitsFile,
  inForce,
  profileHash,
  profileIds,
  profilePath,
  readProfileFile,
} from "./profile-file.ts";
import type { Questions } from "./question.ts";

export type CurrentProfile =
  | { readonly ok: true; readonly profile: Profile }
  | { readonly ok: false; readonly problem: string };

interface Known {
  /** Of the file, when it was last looked at. */
  readonly stamp: string | undefined;
  readonly current: CurrentProfile;
  /** The edit that waits for a person, and the approval that asks about it, if one does. */
  readonly frozen?: HeldChange;
}

/** Who changes a profile, as far as the profile has to know. */
interface EditedBy {
  /** For the record. */
  readonly facts: { readonly [key: string]: Json };
  /** Committed with the change, or neither is. */
  readonly writes: readonly Write[];
  /** Throws where they may not allow more than is accepted. */
  mayWiden(accepted: Profile): void;
}

/**
 * The profiles in force. The store holds what was last accepted; the file is what somebody wants. What the file
 * tightens applies at once; what it widens is frozen until a person allows the edit, because an agent that can write
 * files must not be able to write itself a wider policy.
 */
export class ActiveProfiles {
  readonly #dir: string;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #questions: Questions;
  readonly #pause: Pick<Pause, "isPaused">;
  readonly #organisation: Pick<ActiveOrganisation, "requiresDevice">;
  readonly #changed: () => void;
  readonly #known = new Map<string, Known>();
  #adopting = false;
  /** One at a time for each profile: accepting, freezing and adding entries read and write the same two places. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(options: {
    readonly profilesDir: string;
    readonly store: Store;
    readonly clock: Clock;
    readonly log: Log;
    readonly questions: Questions;
    readonly pause: Pick<Pause, "isPaused">;
    /** May take only a device's word for what widens, whatever the profile says. */
    readonly organisation: Pick<ActiveOrganisation, "requiresDevice">;
    /** A profile, or what is frozen of it, isn't what it was. */
    readonly changed?: () => void;
  }) {
    this.#dir = options.profilesDir;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#questions = options.questions;
    this.#pause = options.pause;
    this.#organisation = options.organisation;
    this.#changed = options.changed ?? (() => undefined);
  }

  /** Cheap when the file hasn't changed: one stat. */
  current(profileId: string): Promise<CurrentProfile> {
    const known = this.#known.get(profileId);
    if (known && known.stamp === stampOf(profilePath(this.#dir, profileId)) && !this.#turns.has(profileId)) {
      return Promise.resolve(known.current);
    }
    return this.#inTurn(profileId, () => this.#look(profileId));
  }

  /**
   * At start, so that edits made while the hub was down are noticed before anything is proposed. Only the very first
   * start takes the files as they are; a profile that appears later is held against the defaults.
   */
  async lookAtAll({ firstStart }: { readonly firstStart: boolean }): Promise<void> {
    this.#adopting = firstStart;
    await Promise.all(["default", ...profileIds(this.#dir)].map((id) => this.current(id)));
    this.#adopting = false;
  }

  /** Whether it has a file, or needs none. */
  has(profileId: string): boolean {
    return isBuiltIn(profileId) || profileIds(this.#dir).includes(profileId);
  }

  /** Ids of profiles whose file asks for more than a person has allowed. */
  frozen(): string[] {
    return [...this.#known].filter(([, known]) => known.frozen).map(([id]) => id);
  }

  /** Those edits, and what asks about them. */
  frozenEdits(): HeldChange[] {
    return [...this.#known.values()].flatMap(({ frozen }) => frozen ?? []);
  }

  /** One sentence for each profile whose file can't be read. */
  problems(): string[] {
    return [...this.#known.values()].flatMap(({ current }) => (current.ok ? [] : [current.problem]));
  }

  /** What a person's answer allowed for good. */
  async add(
    profileId: string,
    made: { readonly entries: readonly Entry[]; readonly grants: readonly Grant[] },
    from: { readonly by: string; readonly why?: string },
  ): Promise<void> {
    const origin = () => ({ id: uuidv7(), ...from, atMs: this.#clock.wallMs() });
    const allow = made.entries.map((entry) => ({ ...entry, ...origin() }));
    const grant = made.grants.map((one) => ({ ...one, ...origin() }));
    const edit = { allow, ...(grant.length > 0 ? { grant } : {}) };
    await this.edit(profileId, edit, { facts: { by: from.by }, writes: [], mayWiden: () => undefined });
  }

  /** A change by somebody who may make it: active with a record of who made it, then the file follows. */
  edit(
    profileId: string,
    wanted: ProfileEdit,
    by: EditedBy,
  ): Promise<{ readonly removed: ReturnType<typeof findEntries> }> {
    return this.#inTurn(profileId, async () => {
      // What somebody has tightened in the file meanwhile binds this edit too.
      await this.#look(profileId);
      const file = readProfileFile(this.#dir, profileId);
      if (file.kind === "broken") throw new HubError("CONFLICT", `It can't be changed: ${file.problem}`);
      const accepted = (await this.#accepted(profileId)) ?? defaultProfile(profileId);
      const edit = wanted.narrows ? narrowed(accepted, wanted) : wanted;
      const profile = applyEdit(accepted, edit);
      // One more than the file may hold would make all of it unreadable.
      if (!profileSchema.safeParse(profile).success || !fitsFile(profile))
        throw new HubError("LIMIT", "The profile can't hold any more");
      const holders = edit.narrows ? [{ ...accepted, denylist: [], grants: [] }] : [accepted, file.profile];
      const removed = edit.remove === undefined ? [] : findEntries(holders, edit.remove);
      // That an edit which narrows allows nothing new was looked at entry by entry.
      if (!edit.narrows && describeWidening(accepted, profile).length > 0) by.mayWiden(accepted);
      const added = [
        ...[...(edit.allow ?? []), ...(edit.deny ?? [])].map(nameForRecord),
        ...(edit.grant ?? []).map(({ root }) => root),
      ];
      const removals = removed.map(nameForRecord);
      const settings = tellSettings(accepted, edit.set);
      const lists = { added: added.map(redactSentence), removed: removals.map(redactSentence) };
      const facts = { ...by.facts, ...lists, ...(settings.length > 0 ? { settings } : {}) };
      refuseReplay(await this.#store.commit([...by.writes, ...this.#acceptWrites(profileId, profile, facts)]));
      // A crash here leaves the file as it was: it then reads as an edit that tightens, or as one to ask about. Never wider.
      try {
        await editProfileFile(this.#dir, profileId, edit);
      } finally {
        await this.#look(profileId);
      }
      return { removed };
    });
  }

  /** Whether there is a profile that takes only a device's word. */
  async anyRequiresDevice(): Promise<boolean> {
    const readings = await Promise.all(["default", ...profileIds(this.#dir)].map((id) => this.current(id)));
    return readings.some((reading) => reading.ok && reading.profile.assurance === "device");
  }

  async #look(profileId: string): Promise<CurrentProfile> {
    const stamp = stampOf(profilePath(this.#dir, profileId));
    const file = readProfileFile(this.#dir, profileId);
    if (file.kind === "broken") {
      await this.#withdraw(profileId);
      return this.#remember(profileId, { stamp, current: { ok: false, problem: file.problem } });
    }
    const accepted = (await this.#accepted(profileId)) ?? (this.#adopting ? file.profile : defaultProfile(profileId));
    const { profile, widening } = inForce(accepted, file.profile);
    if (widening.length > 0) {
      // What it tightens is in force from now on: taking that back later widens again, and is asked about.
      await this.#accept(profileId, profile, "tightened");
      const edit: PolicyChange = {
        file: `profiles/${profileId}/config.json`,
        profileId,
        hash: file.hash,
        widening,
        diff: profileDiff(profile, file.profile),
      };
      const requiresDevice = accepted.assurance === "device" || this.#organisation.requiresDevice;
      const approvalId = await this.#ask({ ...edit, profile: file.profile, requiresDevice });
      return this.#remember(profileId, { stamp, current: { ok: true, profile }, frozen: { ...edit, approvalId } });
    }
    await this.#withdraw(profileId);
    await this.#accept(profileId, file.profile, this.#adopting ? "first-start" : "tightened");
    return this.#remember(profileId, { stamp, current: { ok: true, profile: file.profile } });
  }

  /** Records a profile that applies without asking, if that is news. */
  async #accept(profileId: string, profile: Profile, by: string): Promise<void> {
    const known = await this.#accepted(profileId);
    if (known && profileHash(known) === profileHash(profile)) return;
    await this.#store.commit(this.#acceptWrites(profileId, profile, { by }));
  }

  /** Asks about a frozen edit, unless the same content is being asked about or was denied. */
  async #ask(
    edit: PolicyChange & { readonly profile: Profile; readonly requiresDevice: boolean },
  ): Promise<string | undefined> {
    const known = this.#known.get(edit.profileId)?.frozen;
    if (known?.hash === edit.hash) return known.approvalId;
    await this.#withdraw(edit.profileId);
    if ((await this.#store.setting(deniedKey(edit.profileId))) === edit.hash) return undefined;
    this.#log.warn(
      { profile: edit.profileId, widening: edit.widening },
      "an edit of the profile is frozen until a person allows it",
    );
    const question = new PolicyQuestion(edit, {
      clock: this.#clock,
      pause: this.#pause,
      requiresDevice: () => edit.requiresDevice,
      accept: (facts) => this.#acceptWrites(edit.profileId, edit.profile, { by: "person", ...facts }),
      refuse: () => [{ op: "put-setting", key: deniedKey(edit.profileId), value: edit.hash }],
      accepted: () => {
        this.#known.delete(edit.profileId);
      },
    });
    try {
      await this.#questions.open(question, question.card, []);
      return question.approvalId;
    } catch (cause) {
      if (!(cause instanceof HubError)) throw cause;
      this.#log.error(
        { profile: edit.profileId, err: cause },
        "nobody could be asked about a frozen edit; it stays frozen",
      );
      return undefined;
    }
  }

  /** The file no longer says what was asked about. */
  async #withdraw(profileId: string): Promise<void> {
    const approvalId = this.#known.get(profileId)?.frozen?.approvalId;
    if (approvalId) await this.#questions.cancel(approvalId, "cancelled", "The file was changed again");
  }

  #accepted(profileId: string): Promise<Profile | undefined> {
    return acceptedProfile(profileId, this.#store);
  }

  #acceptWrites(profileId: string, profile: Profile, facts: { readonly [key: string]: Json }): Write[] {
    const body = { profile: profileId, hash: profileHash(profile), ...facts };
    const draft = {
      type: "policy-changed",
      sessionId: null,
      proposalKey: null,
      atMs: this.#clock.wallMs(),
      body,
    } as const;
    return [
      { op: "put-setting", key: acceptedKey(profileId), value: profile as unknown as Json },
      { op: "append", draft },
    ];
  }

  #remember(profileId: string, known: Known): CurrentProfile {
    const isNews = this.#known.has(profileId);
    this.#known.set(profileId, known);
    if (isNews) this.#changed();
    return known.current;
  }

  async #inTurn<T>(profileId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(profileId) ?? Promise.resolve();
    const turn = before.then(work, work);
    const settled = turn.catch(() => undefined);
    this.#turns.set(profileId, settled);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(profileId) === settled) this.#turns.delete(profileId);
    }
  }
}

/** What is set otherwise, as the record tells it. */
function tellSettings(from: Profile, set: ProfileEdit["set"] = {}): string[] {
  const keys = (Object.keys(set) as (keyof typeof set)[]).filter((key) => set[key] !== from[key]);
  return keys.map((key) => `${key}: ${from[key]} → ${set[key]}`);
}

/** Hash of the edit that a person last refused: the same content isn't asked about again. */
function deniedKey(profileId: string): string {
  return `profile.${profileId}.denied`;
}
