import type { Clock, Identity, Limits, Log } from "@countersign/core/base";
import type { Config, Home } from "@countersign/core/config";
import { HubError, readOrRefuse } from "@countersign/core/errors";
import { filterSecrets } from "@countersign/core/redaction";
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
import { type Audit, type AuditEvent, type Checkpoints, rotateKey, type Store, StoreError } from "@countersign/store";
import type { Denials, Grants, LateAnswers, ToolPins } from "../answers/index.ts";
import type { Approvals } from "../approvals/index.ts";
import type { Attention, CheckpointNews, News, PolicyNews, Presence, StateNews } from "../events/index.ts";
import type { History, LedgerQueries } from "../history/index.ts";
import type { PolicyReview, SimilarAnswers } from "../history/review/index.ts";
import type { Admission, AuthFailures, Devices, Sessions } from "../identity/index.ts";
import type { ExternalRuns, HeldPermits, Permit } from "../permits/index.ts";
import type { Followers, Proposals } from "../pipeline/index.ts";
import { type ActiveConfig, type Pause, type PolicyEdits, profileIds } from "../policies/index.ts";
import { explainCommand, type Judge, profileOf, rootsOf } from "../proposals/index.ts";
import type { Previews, Runs } from "../runs/index.ts";
import type { DiskWatch } from "./disk-watch.ts";
import type { HubStatus } from "./hub-status.ts";

/** `ended`: commands that were running and were told to end. */
interface PauseDone {
  readonly ended: number;
  readonly unrecorded?: string;
}

const PRUNE_EVERY_MS = 3_600_000;
const LEFT_OPEN =
  "Countersign is shutting down. Nothing was run; the approval stays open, and the same proposalId goes on waiting for it after a restart";

/** The operations that every wire offers. It knows no wire, and no wire knows policy. */
export class Hub {
  readonly news: News;
  readonly policyNews: PolicyNews;
  readonly checkpointNews: CheckpointNews;
  readonly stateNews: StateNews;
  readonly presence: Presence;
  readonly attention: Attention;
  readonly devices: Devices;
  readonly admission: Admission;
  readonly sessions: Sessions;
  readonly policyEdits: PolicyEdits;
  readonly policyReview: PolicyReview;
  readonly approvals: Approvals;
  readonly grants: Grants;
  readonly lateAnswers: LateAnswers;
  readonly similarAnswers: SimilarAnswers;
  readonly toolPins: ToolPins;
  readonly proposals: Proposals;
  readonly followers: Followers;
  readonly previews: Previews;
  readonly runs: Runs;
  readonly record: LedgerQueries;
  readonly history: History;
  readonly log: Log;
  /** The workspace of those that have none of their own. */
  readonly serveCwd: string;
  /** The hub's own id as an endpoint of the gateway; stays the same over restarts. */
  readonly deviceId: string;
  /** Whether what runs here is held to what was predicted. */
  readonly canJail: boolean;
  readonly #home: Home;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #status: HubStatus;
  readonly #disk: DiskWatch;
  readonly #authFailures: AuthFailures;
  readonly #config: ActiveConfig;
  readonly #pause: Pause;
  readonly #denials: Denials;
  readonly #judge: Judge;
  readonly #held: HeldPermits;
  readonly #external: ExternalRuns;
  readonly #audit: Audit;
  readonly #checkpoints: Checkpoints | undefined;
  #closing = false;

  constructor(options: {
    readonly news: News;
    readonly policyNews: PolicyNews;
    readonly checkpointNews: CheckpointNews;
    readonly stateNews: StateNews;
    readonly presence: Presence;
    readonly attention: Attention;
    readonly devices: Devices;
    readonly admission: Admission;
    readonly sessions: Sessions;
    readonly policyEdits: PolicyEdits;
    readonly policyReview: PolicyReview;
    readonly approvals: Approvals;
    readonly grants: Grants;
    readonly lateAnswers: LateAnswers;
    readonly similarAnswers: SimilarAnswers;
    readonly toolPins: ToolPins;
    readonly proposals: Proposals;
    readonly followers: Followers;
    readonly previews: Previews;
    readonly runs: Runs;
    readonly record: LedgerQueries;
    readonly history: History;
    readonly home: Home;
    readonly store: Store;
    readonly clock: Clock;
    readonly limits: Limits;
    readonly status: HubStatus;
    readonly disk: DiskWatch;
    readonly authFailures: AuthFailures;
    readonly config: ActiveConfig;
    readonly pause: Pause;
    readonly denials: Denials;
    readonly judge: Judge;
    readonly held: HeldPermits;
    readonly external: ExternalRuns;
    readonly audit: Audit;
    readonly checkpoints: Checkpoints | undefined;
    readonly log: Log;
    readonly serveCwd: string;
    readonly deviceId: string;
    readonly hasJail: boolean;
  }) {
    this.news = options.news;
    this.policyNews = options.policyNews;
    this.checkpointNews = options.checkpointNews;
    this.stateNews = options.stateNews;
    this.presence = options.presence;
    this.attention = options.attention;
    this.devices = options.devices;
    this.admission = options.admission;
    this.sessions = options.sessions;
    this.policyEdits = options.policyEdits;
    this.policyReview = options.policyReview;
    this.approvals = options.approvals;
    this.grants = options.grants;
    this.lateAnswers = options.lateAnswers;
    this.similarAnswers = options.similarAnswers;
    this.toolPins = options.toolPins;
    this.proposals = options.proposals;
    this.followers = options.followers;
    this.previews = options.previews;
    this.runs = options.runs;
    this.record = options.record;
    this.history = options.history;
    this.log = options.log;
    this.serveCwd = options.serveCwd;
    this.deviceId = options.deviceId;
    this.canJail = options.hasJail;
    this.#home = options.home;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#status = options.status;
    this.#disk = options.disk;
    this.#authFailures = options.authFailures;
    this.#config = options.config;
    this.#pause = options.pause;
    this.#denials = options.denials;
    this.#judge = options.judge;
    this.#held = options.held;
    this.#external = options.external;
    this.#audit = options.audit;
    this.#checkpoints = options.checkpoints;
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
    return this.approvals.reveal(approvalId, by);
  }

  /** What would become of a command, and why; it is neither proposed nor recorded. */
  explain(raw: unknown): Promise<Explanation> {
    const setting = { config: this.config, serveCwd: this.serveCwd, nowMs: this.#clock.wallMs() };
    return explainCommand(raw, this.#judge, { ...setting, profileIds: () => profileIds(this.#home.profiles) });
  }

  /** As it is in force. */
  get config(): Config {
    return this.#config.current;
  }

  profileOf(identity: Identity): string {
    return profileOf(identity, this.config);
  }

  /** Whose word about sandboxes is taken, as far as a person allowed it. */
  get emitters(): Config["receipts"]["emitters"] {
    return this.config.receipts.emitters;
  }

  /** Where this agent works: real paths, its workspace first. */
  rootsOf(identity: Identity, claimed?: string): readonly string[] {
    return rootsOf(identity, { config: this.config, serveCwd: this.serveCwd }, claimed);
  }

  /** How an external executor ends what it was permitted. */
  report(permitId: string, outcome: unknown, identity: Identity): Promise<Outcome> {
    return this.#external.report(permitId, outcome, identity);
  }

  /** What an agent of this session was permitted and hasn't reported, the oldest first. */
  permitsOut(identity: Identity, session: string): readonly Permit[] {
    return this.#external.outOf(identity.id, session);
  }

  /** What waits for an agent's rewritten command to come for it; of one session, or of all. */
  permitsHeld(identity: Identity, session: string | undefined): readonly Permit[] {
    return this.#held.of(identity.id, session);
  }

  get homeDir(): string {
    return this.#home.dir;
  }

  /** Changes the key that signs the ledger; nothing waits for it. */
  rotateKey(by: Identity): Promise<KeyRotated> {
    return rotateKey({ store: this.#store, clock: this.#clock, checkpoints: this.#checkpoints }, by);
  }

  auditTail(limit: number): Promise<readonly AuditEvent[]> {
    return this.#audit.tail(limit);
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
    const ended = kill ? this.runs.endAll(`Ended by ${by.name}, who paused everything`) : 0;
    try {
      await paused;
      return { ended };
    } catch (cause) {
      if (!(cause instanceof StoreError)) throw cause;
      this.log.error({ err: cause }, "a pause holds and could not be recorded");
      return { ended, unrecorded: filterSecrets(`${cause.code}: ${cause.message}`) };
    }
  }

  /** With a session, only that one goes on. */
  resume(by: Identity, session?: string): Promise<void> {
    return session === undefined ? this.#pause.resume(by) : this.#denials.resume(session, by);
  }

  /** Why it takes no proposals: it is closing, the store doesn't answer, or what is decided can't be put on record. */
  async notReady(): Promise<"CLOSING" | StoreError["code"] | undefined> {
    if (this.#closing) return "CLOSING";
    const problem = await this.#status.unrecordable();
    if (problem) return problem.code;
    return await this.#store.ledgerHead().then(
      () => undefined,
      (cause) => (cause instanceof StoreError ? cause.code : "FAILED"),
    );
  }

  state(): Promise<HubState> {
    return this.#status.read();
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
    this.#external.close();
    this.#authFailures.close();
    this.stateNews.close();
    this.#disk.close();
    await this.history.close();
    await recordHub(this.#store, this.#clock, "hub-down", {})
      .then(() => this.#checkpoints?.close())
      .finally(() => this.#audit.close());
  }

  /** Removes what is no longer needed, now and then every hour. */
  prune(): void {
    const endedBeforeMs = this.#clock.wallMs() - this.#limits.outcomeKeptMs;
    const pruned = [
      this.#store.commit([{ op: "prune-outcomes", endedBeforeMs }]),
      this.grants.prune(),
      this.#denials.prune(),
    ];
    Promise.all(pruned).catch((cause) => {
      this.log.error({ err: cause }, "what is no longer needed could not be pruned; it is tried again");
    });
    this.#clock.after(PRUNE_EVERY_MS, () => {
      if (!this.#closing) this.prune();
    });
  }
}

/** Puts on record that the hub starts or ends. */
export async function recordHub(
  store: Store,
  clock: Clock,
  type: "hub-up" | "hub-down",
  body: Record<string, string | number>,
): Promise<void> {
  const draft = { type, sessionId: null, proposalKey: null, atMs: clock.wallMs(), body };
  await store.commit([{ op: "append", draft }]);
}
