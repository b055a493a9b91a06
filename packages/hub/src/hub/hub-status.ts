import { type Clock, VERSION } from "@countersign/core/base";
import { filterSecrets } from "@countersign/core/redaction";
import type { EngineProbe } from "@countersign/jail";
import { type HubState, NO_JAIL_WARNING } from "@countersign/protocol/hub";
import type { Audit, Checkpoints, Store, StoreError } from "@countersign/store";
import type { Denials } from "../answers/index.ts";
import type { Approvals } from "../approvals/index.ts";
import type { ActiveConfig, ActiveOrganisation, ActiveProfiles, Pause } from "../policies/index.ts";
import type { Runs } from "../runs/index.ts";
import type { DiskWatch } from "./disk-watch.ts";

/** Sessions that are named; of the others only how many. */
const MAX_NAMED = 10;

/** How the hub stands: what waits and runs, what today brought, and what somebody should see to. */
export class HubStatus {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #disk: DiskWatch;
  readonly #jail: EngineProbe;
  readonly #pause: Pause;
  readonly #denials: Denials;
  readonly #approvals: Approvals;
  readonly #runs: Runs;
  readonly #profiles: ActiveProfiles;
  readonly #organisation: ActiveOrganisation;
  readonly #config: ActiveConfig;
  readonly #audit: Audit;
  readonly #checkpoints: () => Checkpoints | undefined;

  constructor(options: {
    readonly store: Store;
    readonly clock: Clock;
    readonly disk: DiskWatch;
    readonly jail: EngineProbe;
    readonly pause: Pause;
    readonly denials: Denials;
    readonly approvals: Approvals;
    readonly runs: Runs;
    readonly profiles: ActiveProfiles;
    readonly organisation: ActiveOrganisation;
    readonly config: ActiveConfig;
    readonly audit: Audit;
    /** Undefined where another process signs them, and before the hub is open. */
    readonly checkpoints: () => Checkpoints | undefined;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#disk = options.disk;
    this.#jail = options.jail;
    this.#pause = options.pause;
    this.#denials = options.denials;
    this.#approvals = options.approvals;
    this.#runs = options.runs;
    this.#profiles = options.profiles;
    this.#organisation = options.organisation;
    this.#config = options.config;
    this.#audit = options.audit;
    this.#checkpoints = options.checkpoints;
  }

  /** Why nothing can be put on record now. Looks at the disk first. */
  async unrecordable(): Promise<StoreError | undefined> {
    await this.#disk.look();
    return this.#store.unrecordable() ?? this.#disk.problem;
  }

  async read(): Promise<HubState> {
    const unrecordable = await this.unrecordable();
    const midnight = new Date(this.#clock.wallMs()).setHours(0, 0, 0, 0);
    const pausedSessions = this.#denials.pausedSessions();
    const [problem] = unrecordableWarning(unrecordable);
    return {
      version: VERSION,
      paused: this.#pause.state,
      pausedSessions: pausedSessions.slice(0, MAX_NAMED),
      pending: this.#approvals.pending,
      running: this.#runs.running,
      today: { ...(await this.#store.outcomeCounts(midnight)) },
      ...(problem === undefined ? {} : { problem: filterSecrets(problem) }),
      askedToday: (await this.#store.askedCount(midnight)) + (await this.#store.openAskedCount()),
      warnings: this.#warnings(unrecordable, pausedSessions),
    };
  }

  #warnings(unrecordable: StoreError | undefined, pausedSessions: readonly string[]): string[] {
    const checkpoints = this.#checkpoints();
    return [
      ...unrecordableWarning(unrecordable),
      ...olderCopyWarning(this.#store.forgotten),
      ...this.#frozenEdits(),
      ...noJailWarning(this.#jail),
      ...unheldLimits(this.#jail),
      ...pausedWarnings(pausedSessions),
      ...this.#profiles.problems(),
      this.#organisation.warning,
      this.#audit.problem,
      this.#audit.setback,
      checkpoints?.setback,
      checkpoints?.problem,
    ].flatMap((text) => (text === undefined ? [] : filterSecrets(text)));
  }

  #frozenEdits(): string[] {
    const edits = [
      ...this.#profiles.frozen().map((id) => `profile ${id}`),
      ...(this.#config.frozen ? ["config.json"] : []),
      ...(this.#organisation.frozen ? ["the organisation's policy"] : []),
    ];
    return edits.map((edit) => `An edit of ${edit} is frozen until somebody allows it.`);
  }
}

function noJailWarning({ problem }: EngineProbe): string[] {
  return problem === undefined ? [] : [`${NO_JAIL_WARNING}${problem}.`];
}

function unheldLimits({ engine }: EngineProbe): string[] {
  return (engine?.unheldLimits ?? []).map((limit) => `A limit of runs isn't enforced in full here: ${limit}.`);
}

function unrecordableWarning(problem: StoreError | undefined): string[] {
  return problem === undefined
    ? []
    : [`Everything new is denied, because it can't be put on record: ${problem.code}. ${problem.message}`];
}

function olderCopyWarning(forgotten: number): string[] {
  if (forgotten === 0) return [];
  const lost =
    "Answers, pauses, revoked tokens and changes of policy since then are forgotten here, and not undone there";
  return [
    `This hub's database is an older copy: ${forgotten} receipts are of what it told since. ${lost}: look at countersign receipts list.`,
  ];
}

function pausedWarnings(sessions: readonly string[]): string[] {
  const named = sessions.slice(0, MAX_NAMED).map((session) => {
    const how = `countersign resume --session ${JSON.stringify(session)}`;
    return `Session ${JSON.stringify(session)} is paused after too many denials in a row: \`${how}\` lets it go on.`;
  });
  return sessions.length > MAX_NAMED ? [...named, `${sessions.length - MAX_NAMED} more sessions are paused.`] : named;
}
