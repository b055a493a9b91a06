import { DEFAULT_LIMITS, type Identity, type Log, systemClock, VERSION } from "@countersign/core/base";
import type { Config } from "@countersign/core/config";
import { findShell } from "@countersign/core/config";
import { HubError, readOrRefuse, StartError } from "@countersign/core/errors";
import { filterSecrets } from "@countersign/core/redaction";
import type { JailProbe } from "@countersign/jail";
import type { Explanation } from "@countersign/policy";
import type { HubState } from "@countersign/protocol/hub";
import {
  type AnswerResult,
  answerSchema,
  type ExecApprovalRequestPayload,
  type Outcome,
  type Preview,
  type PreviewWish,
} from "@countersign/protocol/proposals";
import type { KeyRotated } from "@countersign/protocol/records";
import {
  Audit,
  type AuditEvent,
  Checkpoints,
  recordConfigChanges,
  rotateKey,
  type Store,
  StoreError,
  WitnessFile,
} from "@countersign/store";
import { uuidv7 } from "uuidv7";
import { Denials, Grants, LateAnswers, ToolPins } from "../answers/index.ts";
import { Approvals, reveal } from "../approvals/index.ts";
import { Attention, CheckpointNews, News, PolicyNews, Presence, StateNews } from "../events/index.ts";
import { History, LedgerQueries } from "../history/index.ts";
import { PolicyReview, SimilarAnswers } from "../history/review/index.ts";
import { Admission, AuthFailures, Devices, Sessions } from "../identity/index.ts";
import type { Permit } from "../permits/index.ts";
import { Followers, type PipelineRooms, Proposals, recover } from "../pipeline/index.ts";
import {
  ActiveConfig,
  ActiveOrganisation,
  ActiveProfiles,
  brokenProfiles,
  Pause,
  PolicyEdits,
  profileIds,
} from "../policies/index.ts";
import { type Acceptance, explainCommand, profileOf, rootsOf } from "../proposals/index.ts";
import { Previews, type Runs } from "../runs/index.ts";
import { DiskWatch } from "./disk-watch.ts";
import { type HubOptions, type Loaded, roomsOf } from "./rooms-of.ts";
import { tellState } from "./tell-state.ts";

/** `ended`: commands that were running and were told to end. */
interface PauseDone {
  readonly ended: number;
  readonly unrecorded?: string;
}

const NO_JAIL: JailProbe = { jails: undefined, problem: undefined };
const PRUNE_EVERY_MS = 3_600_000;
const DEVICE_ID = "hub.deviceId";
const LEFT_OPEN =
  "Countersign is shutting down. Nothing was run; the approval stays open, and the same proposalId goes on waiting for it after a restart";

/** What every door calls. It knows no wire; the doors know no policy. */
export class Hub {
  readonly approvals: Approvals;
  readonly news: News;
  readonly policyNews = new PolicyNews();
  readonly presence: Presence;
  readonly attention: Attention;
  readonly checkpointNews: CheckpointNews;
  readonly stateNews: StateNews;
  readonly proposals: Proposals;
  readonly previews: Previews;
  readonly followers: Followers;
  readonly sessions: Sessions;
  readonly devices: Devices;
  readonly admission: Admission;
  readonly policyEdits: PolicyEdits;
  readonly policyReview: PolicyReview;
  readonly grants: Grants;
  readonly lateAnswers: LateAnswers;
  readonly similarAnswers: SimilarAnswers;
  readonly toolPins: ToolPins;
  readonly record: LedgerQueries;
  readonly history: History;
  /** The hub's own id as an endpoint of the gateway; stays the same over restarts. */
  readonly deviceId: string;
  readonly #options: Required<HubOptions>;
  readonly #rooms: PipelineRooms;
  readonly #profiles: ActiveProfiles;
  readonly #organisation: ActiveOrganisation;
  readonly #pause: Pause;
  readonly #denials: Denials;
  readonly #audit: Audit;
  readonly #disk: DiskWatch;
  readonly #acceptance: Acceptance;
  readonly #config: ActiveConfig;
  #checkpoints: Checkpoints | undefined;
  readonly #authFailures: AuthFailures;
  #closing = false;

  private constructor(options: Required<HubOptions>, loaded: Loaded) {
    const { pause, organisation } = loaded;
    this.deviceId = loaded.deviceId;
    this.news = loaded.news;
    this.#options = options;
    this.#pause = pause;
    this.#denials = loaded.denials;
    this.grants = loaded.grants;
    this.#audit = loaded.audit;
    this.checkpointNews = new CheckpointNews(options.store, options.log);
    this.stateNews = new StateNews(options.clock, options.log, () => this.state());
    this.#disk = new DiskWatch({ ...options, changed: () => this.#diskChanged() });
    this.presence = loaded.presence;
    this.attention = new Attention(options.clock);
    this.approvals = loaded.approvals;
    this.#organisation = organisation;
    const changed = () => this.policyNews.tell();
    const { store, clock, log } = options;
    this.#profiles = new ActiveProfiles({
      ...{ profilesDir: options.home.profiles, store, clock, log, questions: this.approvals },
      ...{ pause, organisation, changed },
    });
    this.#config = new ActiveConfig(options.config, {
      ...{ store, clock, log, questions: this.approvals, pause, organisation },
    });
    this.#rooms = roomsOf(options, {
      ...loaded,
      profiles: this.#profiles,
    });
    this.record = new LedgerQueries(options);
    this.history = new History(options);
    this.devices = new Devices(options.store, options.clock);
    this.admission = new Admission(
      this.devices,
      async () => organisation.requiresDevice || (await this.#profiles.anyRequiresDevice()),
    );
    this.policyEdits = new PolicyEdits({
      ...{ store, clock, profiles: this.#profiles, organisation, pause, devices: this.devices, changed },
    });
    this.policyReview = new PolicyReview({
      ...this.#rooms,
      ...options,
      profiles: this.#profiles,
      organisation: () => organisation.layers(),
      config: () => this.#acceptance.config(),
      frozen: () => [this.#config.frozen ?? [], organisation.frozen ?? []].flat(),
      requiresDevice: () => organisation.requiresDevice,
    });
    this.lateAnswers = new LateAnswers({ ...this.#rooms, grants: this.grants, devices: this.devices });
    this.sessions = new Sessions(options.store);
    this.toolPins = new ToolPins(options.store);
    this.#acceptance = { ...options, config: () => this.#config.current };
    this.similarAnswers = new SimilarAnswers({ ...this.#rooms, home: options.home, config: this.#acceptance.config });
    this.proposals = new Proposals(this.#rooms, this.#acceptance);
    this.previews = new Previews(this.#rooms, this.news);
    this.#authFailures = new AuthFailures(store, clock, log);
    this.followers = new Followers(this.proposals, options.limits);
  }

  /** Settles what a crash left behind before anything new is taken. */
  static async open(given: HubOptions): Promise<Hub> {
    const made = { clock: systemClock, limits: DEFAULT_LIMITS, shell: findShell(), jail: NO_JAIL };
    const options = { ...made, ...given };
    const { store, clock, home, log } = options;
    const broken = brokenProfiles(home.profiles);
    if (broken.length > 0) throw new StartError("PROFILE_INVALID", broken.join(" "));
    const isNew = (await store.setting(DEVICE_ID)) === undefined;
    // A mirror says nothing about that: its recorder may have begun before this hub, or be out of reach.
    const firstStart = isNew && (store.isMirror || (await store.ledgerHead()) === null);
    const witness = new WitnessFile(options.config.receipts.witness ?? home.witness);
    // Whoever signs the ledger signs its checkpoints, too.
    const witnessed = store.isMirror ? undefined : await Checkpoints.open({ store, clock, log, witness });
    const news = new News();
    const presence = new Presence(clock, options.limits);
    const approvals = new Approvals({ store, clock, limits: options.limits, log, news, presence });
    const pause = await Pause.load(store, clock);
    const organisation = await ActiveOrganisation.load({
      ...{ pin: options.config.organisation, store, clock, log, questions: approvals, pause, firstStart },
    });
    const audit = await Audit.open(home.audit, { store, log, clock });
    const hub = new Hub(options, {
      audit,
      organisation,
      deviceId: await ownDeviceId(store),
      ...{ news, presence, approvals, pause },
      denials: await Denials.load(store, clock, options.limits, log),
      grants: await Grants.load(store, clock, options.limits),
    });
    store.onAppend(() => audit.follow());
    store.onAppend(() => hub.checkpointNews.follow());
    store.onAppend(() => hub.stateNews.changed());
    store.onFailure((error) => hub.#disk.failed(error));
    const { forgotten } = store;
    await hub.#record("hub-up", { version: VERSION, ...(forgotten === 0 ? {} : { forgotten }) });
    const checkpoints = await witnessed?.begin();
    hub.#checkpoints = checkpoints;
    store.onAppend(() => checkpoints?.follow());
    await recover(hub.#rooms, hub.proposals.flights, (await options.jail.finishLeft?.()) ?? new Map());
    await recordConfigChanges(options.config, { ...hub.#rooms, file: "config.json" });
    await hub.#config.load({ firstStart });
    await organisation.ask();
    await hub.#profiles.lookAtAll({ firstStart });
    hub.#prune();
    return hub;
  }

  async answer(approvalId: unknown, raw: unknown, by: Identity): Promise<AnswerResult> {
    if (typeof approvalId !== "string") throw new HubError("INVALID_PARAMS", "approvalId: must be text");
    const assure: Parameters<Approvals["answer"]>[3] = (answer, card, who) => this.devices.verify(answer, card, who);
    const answer = readOrRefuse(answerSchema, raw, "Not an answer: ");
    const result = await this.approvals.answer(approvalId, answer, by, assure);
    if (answer.decision === "deny") await this.#audit.upToDate();
    return result;
  }

  /** Tries out what waits, where nothing is kept. `gone`: nobody waits for that any more. */
  async preview(approvalId: string, wish: PreviewWish, by: Identity, gone?: AbortSignal): Promise<Preview> {
    const card = async () => ({ id: approvalId, payload: await this.approvals.get(approvalId, by) });
    const assure = () => this.devices.verify({ decision: "preview", ...wish }, card, by);
    return await this.previews.preview(approvalId, by, { gone, assure });
  }

  /** A card with nothing hidden; on record. */
  reveal(approvalId: string, by: Identity): Promise<ExecApprovalRequestPayload> {
    return reveal(approvalId, by, { ...this.#options, approvals: this.approvals });
  }

  /** What would become of a command, and why; it is neither proposed nor recorded. */
  explain(raw: unknown): Promise<Explanation> {
    const rooms = { ...this.#rooms, profileIds: () => profileIds(this.#options.home.profiles) };
    return explainCommand(raw, rooms, this.#acceptance);
  }

  get log(): Log {
    return this.#options.log;
  }

  /** As it is in force. */
  get config(): Config {
    return this.#acceptance.config();
  }

  /** The workspace of those that have none of their own. */
  get serveCwd(): string {
    return this.#options.serveCwd;
  }

  profileOf(identity: Identity): string {
    return profileOf(identity, this.config);
  }

  /** Whose word about sandboxes is taken, as far as a person allowed it. */
  get emitters(): Config["receipts"]["emitters"] {
    return this.#acceptance.config().receipts.emitters;
  }

  /** Where this agent works: real paths, its workspace first. */
  rootsOf(identity: Identity, claimed?: string): readonly string[] {
    return rootsOf(identity, this.#acceptance, claimed);
  }

  /** How an external executor ends what it was permitted. */
  report(permitId: string, outcome: unknown, identity: Identity): Promise<Outcome> {
    return this.#rooms.external.report(permitId, outcome, identity);
  }

  /** What an agent of this session was permitted and hasn't reported, the oldest first. */
  permitsOut(identity: Identity, session: string): readonly Permit[] {
    return this.#rooms.external.outOf(identity.id, session);
  }

  /** What waits for an agent's rewritten command to come for it; of one session, or of all. */
  permitsHeld(identity: Identity, session: string | undefined): readonly Permit[] {
    return this.#rooms.held.of(identity.id, session);
  }

  /** Whether what runs here is held to what was predicted. */
  get canJail(): boolean {
    return this.#rooms.hasJail;
  }

  get homeDir(): string {
    return this.#options.home.dir;
  }

  /** Changes the key that signs the ledger; nothing waits for it. */
  rotateKey(by: Identity): Promise<KeyRotated> {
    return rotateKey({ ...this.#options, checkpoints: this.#checkpoints }, by);
  }

  auditTail(limit: number): Promise<readonly AuditEvent[]> {
    return this.#audit.tail(limit);
  }

  /** What runs now. */
  get runs(): Pick<Runs, "list" | "stop" | "news" | "running"> {
    return this.#rooms.runs;
  }

  get isPaused(): boolean {
    return this.#pause.isPaused;
  }

  /**
   * With `kill`, also ends what runs here, and tells how many that were. What another executor runs isn't ours to end. A pause that
   * can't be recorded holds as well: `unrecorded` says why it isn't on record.
   */
  async pause(by: Identity, { kill = false }: { readonly kill?: boolean | undefined } = {}): Promise<PauseDone> {
    const paused = this.#pause.pause(by);
    // Before that is durable: stopping doesn't wait for a disk.
    const ended = kill ? this.#rooms.runs.endAll(`Ended by ${by.name}, who paused everything`) : 0;
    try {
      await paused;
      return { ended };
    } catch (cause) {
      if (!(cause instanceof StoreError)) throw cause;
      this.log.error({ err: cause }, "a pause holds and could not be recorded");
      return { ended, unrecorded: filterSecrets(`${cause.code}: ${cause.message}`) };
    }
  }

  #diskChanged(): void {
    this.stateNews.changed();
    if (this.#disk.problem !== undefined) return;
    // What else fell behind doesn't wait for the next entry.
    void this.#audit.upToDate().then(() => this.stateNews.changed());
    void this.#checkpoints?.sign().then(() => this.stateNews.changed());
    this.#pause.settle().catch((cause) => this.log.error({ err: cause }, "a pause could not be recorded"));
  }

  /** With a session, only that one goes on. */
  resume(by: Identity, session?: string): Promise<void> {
    return session === undefined ? this.#pause.resume(by) : this.#denials.resume(session, by);
  }

  /** Why it takes no proposals: it is closing, the store doesn't answer, or what is decided can't be put on record. */
  async notReady(): Promise<"CLOSING" | StoreError["code"] | undefined> {
    if (this.#closing) return "CLOSING";
    const { store } = this.#options;
    await this.#disk.look();
    const problem = store.unrecordable() ?? this.#disk.problem;
    if (problem) return problem.code;
    return await store.ledgerHead().then(
      () => undefined,
      (cause) => (cause instanceof StoreError ? cause.code : "FAILED"),
    );
  }

  async state(): Promise<HubState> {
    await this.#disk.look();
    return await tellState({
      ...this.#options,
      unrecordable: this.#options.store.unrecordable() ?? this.#disk.problem,
      pause: this.#pause,
      denials: this.#denials,
      approvals: this.approvals,
      runs: this.#rooms.runs,
      profiles: this.#profiles,
      config: this.#config,
      organisation: this.#organisation,
      audit: this.#audit,
      checkpoints: this.#checkpoints,
    });
  }

  /** Somebody at this address had a wrong token or code. */
  authFailed(address: string): void {
    if (!this.#closing) this.#authFailures.failed(address);
  }

  /** Ends what runs, and leaves what waits to the next start, as a crash does. The store stays open: its owner closes it. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    this.proposals.stop();
    this.approvals.leaveOpen(new HubError("INTERNAL", LEFT_OPEN));
    await this.previews.close();
    await this.proposals.close();
    this.#rooms.external.close();
    this.#authFailures.close();
    this.stateNews.close();
    this.#disk.close();
    await this.history.close();
    await this.#record("hub-down", {})
      .then(() => this.#checkpoints?.close())
      .finally(() => this.#audit.close());
  }

  #prune(): void {
    const { store, clock, limits, log } = this.#options;
    const endedBeforeMs = clock.wallMs() - limits.outcomeKeptMs;
    const pruned = [
      store.commit([{ op: "prune-outcomes", endedBeforeMs }]),
      this.grants.prune(),
      this.#denials.prune(),
    ];
    Promise.all(pruned).catch((cause) => {
      log.error({ err: cause }, "what is no longer needed could not be pruned; it is tried again");
    });
    clock.after(PRUNE_EVERY_MS, () => {
      if (!this.#closing) this.#prune();
    });
  }

  async #record(type: "hub-up" | "hub-down", body: Record<string, string | number>): Promise<void> {
    const { store, clock } = this.#options;
    const draft = { type, sessionId: null, proposalKey: null, atMs: clock.wallMs(), body };
    await store.commit([{ op: "append", draft }]);
  }
}

async function ownDeviceId(store: Store): Promise<string> {
  const known = await store.setting(DEVICE_ID);
  if (typeof known === "string") return known;
  const made = uuidv7();
  await store.commit([{ op: "put-setting", key: DEVICE_ID, value: made }]);
  return made;
}
