import { type Clock, VERSION } from "@countersign/core/base";
import { filterSecrets } from "@countersign/core/redaction";
import type { JailProbe } from "@countersign/jail";
import type { HubState } from "@countersign/protocol/hub";
import type { Audit, Checkpoints, Store, StoreError } from "@countersign/store";
import type { Denials } from "../answers/index.ts";
import type { Approvals } from "../approvals/index.ts";
import type { ActiveConfig, ActiveOrganisation, ActiveProfiles, Pause } from "../policies/index.ts";
import type { Runs } from "../runs/index.ts";
import { MAX_TOLD, tellForgotten, tellNoJail, tellPaused, tellUnheld, tellUnrecordable } from "./warnings.ts";

interface StateRooms {
  readonly store: Store;
  /** Why nothing can be put on record now. */
  readonly unrecordable: StoreError | undefined;
  readonly clock: Clock;
  readonly jail: JailProbe;
  readonly pause: Pause;
  readonly denials: Denials;
  readonly approvals: Approvals;
  readonly runs: Runs;
  readonly profiles: ActiveProfiles;
  readonly organisation: ActiveOrganisation;
  readonly audit: Audit;
  readonly config: ActiveConfig;
  /** Not there before the hub is open. */
  readonly checkpoints: Checkpoints | undefined;
}

/** How the hub stands: what waits and runs, what today brought, and what somebody should see to. */
export async function tellState(rooms: StateRooms): Promise<HubState> {
  const { store, clock, pause, denials, approvals, runs } = rooms;
  const midnight = new Date(clock.wallMs()).setHours(0, 0, 0, 0);
  const pausedSessions = denials.pausedSessions();
  const [problem] = tellUnrecordable(rooms.unrecordable);
  return {
    version: VERSION,
    paused: pause.state,
    pausedSessions: pausedSessions.slice(0, MAX_TOLD),
    pending: approvals.pending,
    running: runs.running,
    today: { ...(await store.outcomeCounts(midnight)) },
    ...(problem === undefined ? {} : { problem: filterSecrets(problem) }),
    askedToday: (await store.askedCount(midnight)) + (await store.openAskedCount()),
    warnings: warningsOf(rooms, pausedSessions),
  };
}

function warningsOf(rooms: StateRooms, pausedSessions: ReturnType<Denials["pausedSessions"]>): string[] {
  const { store, jail, profiles, organisation, audit, checkpoints } = rooms;
  return [
    ...tellUnrecordable(rooms.unrecordable),
    ...tellForgotten(store.forgotten),
    ...frozenEdits(rooms),
    ...tellNoJail(jail),
    ...tellUnheld(jail),
    ...tellPaused(pausedSessions),
    ...profiles.problems(),
    organisation.warning,
    audit.problem,
    audit.setback,
    checkpoints?.setback,
    checkpoints?.problem,
  ].flatMap((text) => (text === undefined ? [] : filterSecrets(text)));
}

function frozenEdits({ profiles, config, organisation }: StateRooms): string[] {
  const edits = [
    ...profiles.frozen().map((id) => `profile ${id}`),
    ...(config.frozen ? ["config.json"] : []),
    ...(organisation.frozen ? ["the organisation's policy"] : []),
  ];
  return edits.map((edit) => `An edit of ${edit} is frozen until somebody allows it.`);
}
