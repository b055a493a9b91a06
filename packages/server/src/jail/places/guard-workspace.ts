import { join } from "node:path";
import { JailError } from "../jail-error.ts";
import type { PlaceStep } from "../jail-view.ts";
import { findPlaces } from "./find-places.ts";
import { maskedNames } from "./masked-names.ts";
import type { OpenGuards } from "./open-guards.ts";
import { hidePlaces, pinPlaces } from "./pin-places.ts";
import type { PlaceIndex } from "./place-index.ts";
import type { Held, Placeholders } from "./placeholders.ts";
import type { UnseenCode } from "./places.ts";
import { type QuarantineReport, quarantine } from "./quarantine.ts";
import { type Before, lookAfter, takeBefore } from "./scan-after.ts";

export interface GuardFacts {
  readonly root: string;
  /** The root is a directory of git's own, to which the workspace is linked. */
  readonly isGit?: boolean | undefined;
  readonly home: string;
  readonly writable: boolean;
  /** What an approved effect writes. */
  readonly writes: readonly string[];
  /** And what it deletes, with all that is in it. */
  readonly removes: readonly string[];
  /** A git write was approved. */
  readonly opensGit: boolean;
}

export interface GuardKit {
  readonly index: PlaceIndex;
  readonly placeholders: Placeholders;
  readonly openGuards: OpenGuards;
  /** Ours alone; `<run id>` is made in it for what a run leaves. */
  readonly quarantineDirectory: string;
}

interface GuardReport extends QuarantineReport {
  /** What couldn't be looked at after the run, and may hold anything. */
  readonly unseen: readonly { readonly path: string; readonly code: UnseenCode }[];
}

/** One run's hold on one workspace. */
export interface Guard {
  /** In order, after the workspace itself is bound. */
  readonly steps: readonly PlaceStep[];
  /** When nothing of the run is alive any more, once: looks at what it left, takes away what would start code, lets go. */
  finish(runId: string): Promise<GuardReport>;
  /** When nothing was run. */
  release(): void;
}

const NOTHING: GuardReport = { quarantined: [], failed: [], unseen: [] };

/** Looks at a workspace right before a run, and says what its jail must cover. Throws `JailError`. */
export async function guardWorkspace(facts: GuardFacts, kit: GuardKit): Promise<Guard> {
  const { root, home, isGit, writable } = facts;
  const places = await findPlaces(root, { home, isGit, index: kit.index });
  if (!writable) {
    return { steps: hidePlaces(root, places), finish: async () => NOTHING, release: () => undefined };
  }
  const around = heldAround(facts.writes, kit.placeholders);
  const held = hold(kit.placeholders, maskedNames({ ...facts, places }));
  const open = kit.openGuards.enter();
  const release = () => {
    open.leave();
    held.release();
  };
  try {
    const all = { ...places, startsCode: [...new Set([...places.startsCode, ...held.existing])] };
    const pins = pinPlaces({ ...facts, places: all, masks: held.masks });
    const before = takeBefore(all, { ...pins, carved: [...pins.carved, ...around] });
    const finish = async (runId: string) => {
      try {
        return await scan(facts, kit, { before, accepted: open.accepted, runId });
      } finally {
        release();
      }
    };
    return { steps: pins.steps, finish, release };
  } catch (cause) {
    release();
    throw cause;
  }
}

/**
 * Names that other runs keep free around what this one may write: open to it, so that all else in them is planted. One that
 * it may make itself can't be taken from them, or it would be open to them, too.
 */
function heldAround(writes: readonly string[], placeholders: Placeholders): string[] {
  const around = placeholders.heldAround(writes);
  const path = around.find((one) => writes.includes(one));
  if (path === undefined) return around;
  throw new JailError("PLACE_HELD", `Another run must end first: while it may write, nothing can be made at ${path}`);
}

function hold(placeholders: Placeholders, names: readonly string[]): Held {
  try {
    return placeholders.hold(names);
  } catch (cause) {
    throw new JailError("STATE_UNWRITABLE", `Places that start code can't be held (${String(cause)})`, { cause });
  }
}

async function scan(
  { root, home, isGit, writes, opensGit }: GuardFacts,
  { index, placeholders, openGuards, quarantineDirectory }: GuardKit,
  { before, accepted, runId }: { before: Before; accepted: ReadonlySet<string>; runId: string },
): Promise<GuardReport> {
  const after = await findPlaces(root, { home, isGit, index });
  const isAccepted = (path: string) => placeholders.isHeld(path) || accepted.has(path);
  const { planted, made } = lookAfter(before, after, { root, writes, opensGit, isAccepted });
  openGuards.accept(made);
  const { quarantined, failed } = await quarantine(planted, join(quarantineDirectory, runId));
  const hidden = new Set(before.places.unseen.map(({ path }) => path));
  return { quarantined, failed, unseen: after.unseen.filter(({ path }) => !hidden.has(path)) };
}
