import type { Clock, Limits, Log } from "@countersign/core/base";
import type { Config, Home } from "@countersign/core/config";
import { FileHashes } from "@countersign/core/host";
import { TrustedPath } from "@countersign/core/host/fs";
import type { JailProbe } from "@countersign/jail";
import type { Audit, Store } from "@countersign/store";
import { type Denials, type Grants, planSaving } from "../answers/index.ts";
import type { Approvals } from "../approvals/index.ts";
import type { News, Presence } from "../events/index.ts";
import { ExternalRuns, HeldPermits } from "../permits/index.ts";
import type { PipelineRooms } from "../pipeline/index.ts";
import { type ActiveOrganisation, type ActiveProfiles, ownPaths, type Pause, Policies } from "../policies/index.ts";
import { Runs } from "../runs/index.ts";

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
  /** What jails the runs, or why nothing does: then they run unjailed, and say so. */
  readonly jail?: JailProbe;
}

/** What the store and the files hold of a hub that stood before. */
export interface Loaded {
  readonly deviceId: string;
  readonly pause: Pause;
  readonly denials: Denials;
  readonly grants: Grants;
  readonly audit: Audit;
  readonly organisation: ActiveOrganisation;
  readonly news: News;
  readonly presence: Presence;
  readonly approvals: Approvals;
}

interface Made extends Loaded {
  readonly profiles: ActiveProfiles;
}

/** Everything that the stages of the pipeline need, put together once. */
export function roomsOf(options: Required<HubOptions>, made: Made): PipelineRooms {
  const { home, store, clock, limits, log, config, serveCwd } = options;
  const { approvals, profiles, organisation, pause, denials, grants, presence, audit } = made;
  const shared: Omit<PipelineRooms, "external"> = {
    store,
    clock,
    limits,
    log,
    policies: new Policies({ profiles, store, home, organisation: () => organisation.layers() }),
    approvals,
    presence,
    grants,
    audit,
    shell: options.shell,
    jails: options.jail.jails,
    droppedUid: options.jail.jails?.droppedUid,
    hasJail: options.jail.jails !== undefined,
    trustedPath: new TrustedPath(process.env.PATH, [serveCwd, ...config.roots, home.dir]),
    hashes: new FileHashes(),
    protectedPaths: ownPaths(home, config),
    maxOutputBytes: config.tools.maxOutputBytes,
    runs: new Runs(),
    held: new HeldPermits(clock, limits),
    pausedFor: (sessionId) => (pause.state ? "hub" : denials.isPaused(sessionId) ? "session" : undefined),
    nowMs: () => clock.wallMs(),
    denials,
    recall: (proposal) => ({ allowed: grants.for(proposal), denials: denials.of(proposal.sessionId) }),
    planSaving: (considered, answer) => planSaving(considered, answer, { profiles, grants, clock, limits, log }),
  };
  return { ...shared, external: new ExternalRuns(shared) };
}
