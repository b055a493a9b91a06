import type { Clock, Identity, Limits } from "@countersign/core/base";
import type { Config, Home } from "@countersign/core/config";
import { HubError, readOrRefuse } from "@countersign/core/errors";
import { realPathAsFarAsItExists } from "@countersign/core/host/fs";
import { filterSecretsDeep, redactSentence } from "@countersign/core/redaction";
import { DEFAULT_CEILING, describeWidening, isOpenToCode, lintEntries, type Profile } from "@countersign/policy";
import {
  type FrozenEditView,
  type PolicyPage,
  type PolicyReplay,
  type PolicyViewParams,
  policyReplayParamsSchema,
  policyViewParamsSchema,
} from "@countersign/protocol/policy";
import type { Store } from "@countersign/store";
import {
  type ActiveProfiles,
  applyEdit,
  builtInIds,
  everTrusted,
  findEntries,
  type HeldChange,
  narrowed,
  type Policies,
  type ProfileEdit,
  profileIds,
  RepositoryFiles,
  toEdit,
  viewPolicy,
} from "../../policies/index.ts";
import { type ReplaySource, replay } from "./replay.ts";
import { viewRepositories } from "./view-repositories.ts";

interface PolicyReviewOptions {
  readonly home: Home;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly profiles: ActiveProfiles;
  readonly policies: Policies;
  readonly serveCwd: string;
  readonly hasJail: boolean;
  readonly organisation: ReplaySource["organisation"];
  readonly config: () => Config;
  /** Held edits of the configuration and the organisation's policy. */
  readonly frozen: () => readonly HeldChange[];
  readonly requiresDevice: () => boolean;
}

const DAY_MS = 86_400_000;
/** Default span: about what people remember. */
const DEFAULT_SPAN_MS = 30 * DAY_MS;
/** Examples of each kind of change. */
const EXAMPLES = 8;
const MAX_COMMAND = 4_096;

/** Shows the policy, and how a change would have decided past commands. Changes nothing. */
export class PolicyReview {
  readonly #home: Home;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #profiles: ActiveProfiles;
  readonly #policies: Policies;
  readonly #serveCwd: string;
  readonly #hasJail: boolean;
  readonly #organisation: ReplaySource["organisation"];
  readonly #config: () => Config;
  readonly #frozen: () => readonly HeldChange[];
  readonly #requiresDevice: () => boolean;
  #replaying = 0;

  constructor(options: PolicyReviewOptions) {
    this.#home = options.home;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#profiles = options.profiles;
    this.#policies = options.policies;
    this.#serveCwd = options.serveCwd;
    this.#hasJail = options.hasJail;
    this.#organisation = options.organisation;
    this.#config = options.config;
    this.#frozen = options.frozen;
    this.#requiresDevice = options.requiresDevice;
  }

  async view(raw: PolicyViewParams): Promise<PolicyPage> {
    const { profile = "default", cwd: wanted = this.#serveCwd } = readOrRefuse(policyViewParamsSchema, raw);
    if (!this.#profiles.has(profile)) throw new HubError("NOT_FOUND", `There's no profile ${profile}`);
    const cwd = realPathAsFarAsItExists(wanted) ?? wanted;
    const nowMs = this.#clock.wallMs();
    const seen = await viewPolicy(this.#source(), { profileId: profile, effective: true, cwd, nowMs });
    const readable = "problem" in seen ? null : seen;
    const entries = readable?.entries ?? [];
    const trusted = await everTrusted(this.#store);
    return {
      profiles: await this.#viewProfiles(),
      profile,
      cwd,
      places: await findPlaces(this.#store, this.#serveCwd, this.#config(), trusted),
      view: readable && filterSecretsDeep({ ...readable, entries: entries.slice(0, this.#limits.policyEntries) }),
      ...("problem" in seen ? { problem: redactSentence(seen.problem) } : {}),
      leftOut: Math.max(0, entries.length - this.#limits.policyEntries),
      frozen: await this.#viewFrozen(),
      repositories: await viewRepositories([...new Set([...this.#repositoriesAt(cwd), ...trusted])], this.#store),
      defaultCeiling: DEFAULT_CEILING,
      deviceOnly: this.#requiresDevice() || isDeviceOnly(await this.#profiles.current(profile)),
      jailed: this.#hasJail,
    };
  }

  /** Compares past decisions with those under a change, without making it. */
  async replay(raw: unknown, by: Identity, gone?: AbortSignal): Promise<PolicyReplay> {
    const nowMs = this.#clock.wallMs();
    const params = readOrRefuse(policyReplayParamsSchema, raw);
    const { profile: profileId, change, sinceMs = Math.max(0, nowMs - DEFAULT_SPAN_MS) } = params;
    if (!this.#profiles.has(profileId)) throw new HubError("NOT_FOUND", `There's no profile ${profileId}`);
    const reading = await this.#profiles.current(profileId);
    if (!reading.ok) throw new HubError("CONFLICT", `It can't be changed: ${reading.problem}`);
    const wanted = toEdit(change, { by: by.name, atMs: nowMs });
    const edit = wanted.narrows ? narrowed(reading.profile, wanted) : wanted;
    if (!edit.narrows && edit.remove !== undefined) findEntries([reading.profile], edit.remove);
    const profile = applyEdit(reading.profile, edit);
    if (this.#replaying >= this.#limits.replays)
      throw new HubError("LIMIT", "Other changes are being tried out; ask again when they are done (limit: replays)");
    this.#replaying += 1;
    try {
      const bounds = { maxProposals: this.#limits.replayProposals, maxMs: this.#limits.replayMs, gone };
      const wish = {
        profileId,
        profile,
        sinceMs,
        nowMs,
        inJail: this.#hasJail && profile.sandbox !== "off",
        ...bounds,
      };
      const found = await replay(this.#source(), wish);
      const changes = examplesOf(found.changes);
      const widening = edit.narrows ? [] : describeWidening(reading.profile, profile).map(redactSentence);
      return filterSecretsDeep({ ...found, changes, widening, warnings: warningsOf(edit, profile, nowMs) });
    } finally {
      this.#replaying -= 1;
    }
  }

  #source(): ReplaySource & Parameters<typeof viewPolicy>[0] {
    return {
      home: this.#home,
      store: this.#store,
      policies: this.#policies,
      organisation: this.#organisation,
      config: this.#config(),
      profile: (id) => this.#profiles.current(id),
    };
  }

  async #viewProfiles(): Promise<PolicyPage["profiles"]> {
    const own = profileIds(this.#home.profiles);
    const ids = [...new Set(["default", ...own.toSorted(), ...builtInIds()])];
    const frozen = this.#profiles.frozen();
    return await Promise.all(
      ids.map(async (id) => {
        const reading = own.includes(id) ? await this.#profiles.current(id) : undefined;
        const problem = reading?.ok === false ? { problem: redactSentence(reading.problem) } : {};
        return { id, own: own.includes(id), frozen: frozen.includes(id), ...problem };
      }),
    );
  }

  async #viewFrozen(): Promise<FrozenEditView[]> {
    return await Promise.all(
      [...this.#profiles.frozenEdits(), ...this.#frozen()].map(
        async ({ file, profileId, approvalId, widening, diff }) => {
          const card = approvalId === undefined ? null : await this.#store.approval(approvalId);
          const asked = card?.state === "pending" ? { approvalId: card.id } : {};
          return { file, about: profileId, ...asked, widening: widening.map(redactSentence), diff };
        },
      ),
    );
  }

  #repositoriesAt(cwd: string): string[] {
    return new RepositoryFiles(this.#home.dir).find([cwd]).map(({ directory }) => directory);
  }
}

function isDeviceOnly(reading: Awaited<ReturnType<ActiveProfiles["current"]>>): boolean {
  return reading.ok && reading.profile.assurance === "device";
}

function examplesOf(changes: PolicyReplay["changes"]): PolicyReplay["changes"] {
  const ways = Map.groupBy(changes, ({ from, to }) => `${from} → ${to}`);
  const some = [...ways.values()].flatMap((way) => way.slice(0, EXAMPLES));
  return some.map((one) => ({ ...one, command: shortened(one.command) }));
}

/** Shortens an example, which need only be recognised. */
function shortened(command: string): string {
  if (command.length <= MAX_COMMAND) return command;
  return `${command.slice(0, MAX_COMMAND)} … ${command.length - MAX_COMMAND} more characters`;
}

/** Warnings about the added entries, in the context of all others. */
function warningsOf({ allow = [], deny = [] }: ProfileEdit, profile: Profile, nowMs: number): string[] {
  const added = new Set<unknown>([...allow, ...deny]);
  const found = lintEntries(profile, nowMs).filter(({ list, index }) => added.has(profile[list][index]));
  const open = allow.filter(isOpenToCode).map(() => "It doesn't hold the code that it runs, which can change");
  return [...new Set([...found.map(({ warning }) => warning), ...open])];
}

/** Newest commands whose directories are offered. */
const RECENT = 100;
const MAX_PLACES = 50;

/**
 * Returns directories whose policy somebody may want to see: those of the hub and its agents, and of recent commands.
 */
async function findPlaces(store: Store, serveCwd: string, config: Config, more: readonly string[]): Promise<string[]> {
  const workspaces = Object.values(config.agents).flatMap(({ workspace }) => workspace ?? []);
  const recent = await store.newestEnded({ sinceMs: 0, limit: RECENT });
  const found = [serveCwd, ...workspaces, ...config.roots, ...recent.map(({ cwd }) => cwd), ...more];
  return [...new Set(found)].slice(0, MAX_PLACES);
}
