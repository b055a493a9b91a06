import { type Clock, DEFAULT_LIMITS, type Limits, type Log, systemClock, VERSION } from "@countersign/core/base";
import { type Config, findShell, type Home } from "@countersign/core/config";
import { StartError } from "@countersign/core/errors";
import { FileHashes } from "@countersign/core/host";
import { TrustedPath } from "@countersign/core/host/fs";
import type { EngineProbe } from "@countersign/jail";
import { Audit, Checkpoints, recordConfigChanges, type Store, WitnessFile } from "@countersign/store";
import { uuidv7 } from "uuidv7";
import { AnswerSaver, Denials, Grants, LateAnswers, ToolPins } from "../answers/index.ts";
import { Approvals, RunResolver } from "../approvals/index.ts";
import { Attention, CheckpointNews, News, PolicyNews, Presence, StateNews } from "../events/index.ts";
import { History, LedgerQueries } from "../history/index.ts";
import { PolicyReview, SimilarAnswers } from "../history/review/index.ts";
import { Admission, AuthFailures, Devices, Sessions } from "../identity/index.ts";
import { ExternalRuns, HeldPermits, StartCheck } from "../permits/index.ts";
import { Followers, Pipeline, Proposals, Recovery } from "../pipeline/index.ts";
import {
  ActiveConfig,
  ActiveOrganisation,
  ActiveProfiles,
  brokenProfiles,
  ownPaths,
  Pause,
  type PausedBy,
  Policies,
  PolicyEdits,
} from "../policies/index.ts";
import { Assessor, Binder, Judge } from "../proposals/index.ts";
import { RunRecords } from "../record/index.ts";
import { Previews, Runner, Runs } from "../runs/index.ts";
import { DiskWatch } from "./disk-watch.ts";
import { Hub, recordHub } from "./hub.ts";
import { HubStatus } from "./hub-status.ts";

export interface HubOptions {
  readonly home: Home;
  readonly store: Store;
  readonly config: Config;
  /** The workspace of proposers that have none of their own. */
  readonly serveCwd: string;
  readonly log: Log;
  readonly clock?: Clock;
  readonly limits?: Limits;
  readonly shell?: string;
  /** The jails, or why there are none. Without jails commands run unjailed, and their outcomes say so. */
  readonly jail?: EngineProbe;
}

const NO_JAIL: EngineProbe = { engine: undefined, problem: undefined };
const DEVICE_ID = "hub.deviceId";

/**
 * Builds the hub's services, from the store up to what the wires call, and opens it. No other function makes a service. Settles what a crash
 * left behind before anything new is accepted.
 */
export async function openHub(options: HubOptions): Promise<Hub> {
  const { home, store, serveCwd, log, clock = systemClock, limits = DEFAULT_LIMITS, jail = NO_JAIL } = options;
  const { shell = findShell() } = options;
  const { engine } = jail;
  const { maxOutputBytes } = options.config.tools;
  const broken = brokenProfiles(home.profiles);
  if (broken.length > 0) throw new StartError("PROFILE_INVALID", broken.join(" "));
  const isNew = (await store.setting(DEVICE_ID)) === undefined;
  // A mirror doesn't show it: its recorder may have begun before this hub, or be unreachable.
  const firstStart = isNew && (store.isMirror || (await store.ledgerHead()) === null);

  // The record. Whoever signs the ledger signs its checkpoints, too.
  const witness = new WitnessFile(options.config.receipts.witness ?? home.witness);
  const witnessed = store.isMirror ? undefined : await Checkpoints.open({ store, clock, log, witness });
  let checkpoints: Checkpoints | undefined;

  // Events, and who receives them.
  const news = new News();
  const policyNews = new PolicyNews();
  const checkpointNews = new CheckpointNews(store, log);
  const stateNews = new StateNews(clock, log, () => status.read());
  const presence = new Presence(clock, limits);
  const attention = new Attention(clock);

  // Questions to people.
  const approvals = new Approvals({ store, clock, limits, log, news, presence });

  // The policy in force.
  const pause = await Pause.load(store, clock);
  const organisation = await ActiveOrganisation.load({
    pin: options.config.organisation,
    store,
    clock,
    log,
    questions: approvals,
    pause,
    firstStart,
  });
  const policyChanged = () => policyNews.tell();
  const profiles = new ActiveProfiles({
    profilesDir: home.profiles,
    store,
    clock,
    log,
    questions: approvals,
    pause,
    organisation,
    changed: policyChanged,
  });
  const config = new ActiveConfig(options.config, { store, clock, log, questions: approvals, pause, organisation });
  const policies = new Policies({ home, profiles, organisation: () => organisation.layers(), store });

  const audit = await Audit.open(home.audit, { store, log, clock });
  const deviceId = await ownDeviceId(store);

  // What people answered before.
  const denials = await Denials.load(store, clock, limits, log);
  const grants = await Grants.load(store, clock, limits);
  const pausedFor = (sessionId: string): PausedBy | undefined =>
    pause.isPaused ? "hub" : denials.isPaused(sessionId) ? "session" : undefined;

  // Who may answer.
  const devices = new Devices(store, clock);
  const admission = new Admission(
    devices,
    async () => organisation.requiresDevice || (await profiles.anyRequiresDevice()),
  );
  const authFailures = new AuthFailures(store, clock, log);
  const sessions = new Sessions(store);
  const policyEdits = new PolicyEdits({
    store,
    clock,
    profiles,
    organisation,
    pause,
    devices,
    changed: policyChanged,
  });

  // From a proposal to its decision.
  const hashes = new FileHashes();
  const trustedPath = new TrustedPath(process.env.PATH, [serveCwd, ...options.config.roots, home.dir]);
  const protectedPaths = ownPaths(home, options.config);
  const judge = new Judge({
    clock,
    policies,
    protectedPaths,
    trustedPath,
    hashes,
    hasJail: engine !== undefined,
    rememberedAnswers: (proposal) => ({ allowed: grants.for(proposal), denials: denials.of(proposal.sessionId) }),
  });
  const binder = new Binder(shell, trustedPath, hashes);
  const assessor = new Assessor({ judge, binder, protectedPaths, droppedUid: engine?.droppedUid });
  const saver = new AnswerSaver({ clock, limits, log, profiles, grants });
  const resolver = new RunResolver({ clock, policies, judge, assessor, grants, denials, saver, pausedFor });
  const lateAnswers = new LateAnswers({ store, clock, limits, judge, grants, devices, pausedFor });
  const toolPins = new ToolPins(store);

  // From a decision to its outcome.
  const records = new RunRecords(store, clock);
  const startCheck = new StartCheck({ clock, shell, policies, judge, binder, pausedFor });
  const held = new HeldPermits(clock, limits);
  const external = new ExternalRuns({ clock, limits, log, startCheck, records });
  const runs = new Runs();
  const runner = new Runner({
    clock,
    limits,
    maxOutputBytes,
    shell,
    trustedPath,
    hashes,
    engine,
    startCheck,
    records,
    runs,
  });
  const previews = new Previews({ store, clock, limits, maxOutputBytes, approvals, news, runner, pausedFor });

  // A proposal's whole life.
  const pipeline = new Pipeline({
    store,
    clock,
    limits,
    log,
    audit,
    presence,
    assessor,
    approvals,
    resolver,
    grants,
    records,
    runner,
    held,
    external,
    engine,
    pausedFor,
  });
  const proposals = new Proposals({
    store,
    clock,
    limits,
    maxOutputBytes,
    audit,
    config,
    serveCwd,
    pipeline,
    held,
  });
  const followers = new Followers(proposals, limits);

  // Looking back.
  const record = new LedgerQueries({ store, clock, limits });
  const history = new History({ store, clock, home });
  const similarAnswers = new SimilarAnswers({
    store,
    clock,
    limits,
    home,
    approvals,
    policies,
    config: () => config.current,
  });
  const policyReview = new PolicyReview({
    store,
    clock,
    limits,
    home,
    serveCwd,
    profiles,
    policies,
    hasJail: engine !== undefined,
    organisation: () => organisation.layers(),
    config: () => config.current,
    frozen: () => [config.frozen ?? [], organisation.frozen ?? []].flat(),
    requiresDevice: () => organisation.requiresDevice,
  });

  // How it stands.
  const disk = new DiskWatch({ home, store, clock, log, changed: () => diskChanged() });
  const status = new HubStatus({
    store,
    clock,
    disk,
    jail,
    pause,
    denials,
    approvals,
    runs,
    profiles,
    organisation,
    config,
    audit,
    checkpoints: () => checkpoints,
  });
  const diskChanged = () => {
    stateNews.changed();
    if (disk.problem !== undefined) return;
    // Catch up now instead of with the next entry.
    void audit.upToDate().then(() => stateNews.changed());
    void checkpoints?.sign().then(() => stateNews.changed());
    pause.settle().catch((cause) => log.error({ err: cause }, "a pause could not be recorded"));
  };

  // It starts.
  store.onAppend(() => audit.follow());
  store.onAppend(() => checkpointNews.follow());
  store.onAppend(() => stateNews.changed());
  store.onFailure((error) => disk.failed(error));
  const { forgotten } = store;
  await recordHub(store, clock, "hub-up", { version: VERSION, ...(forgotten === 0 ? {} : { forgotten }) });
  checkpoints = await witnessed?.begin();
  store.onAppend(() => checkpoints?.follow());
  const recovery = new Recovery({ store, clock, log, assessor, pipeline, openProposals: proposals.openProposals });
  await recovery.run((await jail.finishLeft?.()) ?? new Map());
  await recordConfigChanges(options.config, { store, clock, file: "config.json" });
  await config.load({ firstStart });
  await organisation.ask();
  await profiles.lookAtAll({ firstStart });

  const hub = new Hub({
    ...{ home, store, clock, limits, log, serveCwd, deviceId, hasJail: engine !== undefined },
    ...{ news, policyNews, checkpointNews, stateNews, presence, attention, status, disk },
    ...{ devices, admission, authFailures, sessions },
    ...{ config, pause, policyEdits, policyReview },
    ...{ approvals, denials, grants, lateAnswers, similarAnswers, toolPins },
    ...{ judge, proposals, followers, previews, runs, held, external },
    ...{ record, history, audit, checkpoints },
  });
  hub.prune();
  return hub;
}

async function ownDeviceId(store: Store): Promise<string> {
  const known = await store.setting(DEVICE_ID);
  if (typeof known === "string") return known;
  const made = uuidv7();
  await store.commit([{ op: "put-setting", key: DEVICE_ID, value: made }]);
  return made;
}
