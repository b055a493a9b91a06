import { basename, join } from "node:path";
import { homeDirectory } from "@countersign/core/host";
import { kindAt } from "@countersign/core/host/fs";
import { uuidv7 } from "uuidv7";
import { JailError } from "../base/index.ts";
import type { PlaceStep } from "../plan/index.ts";
import {
  findPlaces,
  isMaskedName,
  maskedNames,
  type PlaceIndex,
  type Places,
  type UnseenCode,
} from "../sensitive/index.ts";
import type { Stamper } from "./entry-stamp.ts";
import type { LeftLook, LookFacts } from "./look-journal.ts";
import type { OpenLook, OpenLooks } from "./open-looks.ts";
import { hidePlaces, pinPlaces } from "./pin-places.ts";
import type { Held, Placeholders } from "./placeholders.ts";
import { type Quarantined, quarantine } from "./quarantine.ts";
import { type Look, lookAfter } from "./scan-after.ts";
import { isEmptyDirectory, stampPlaces } from "./stamp-places.ts";

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
  /** The key of the proposal that is run. */
  readonly key?: string | undefined;
}

export interface GuardReport {
  /** What was planted, and where it is now. */
  readonly quarantined: readonly Quarantined[];
  /** What was there before and changed, or was planted before this run began. */
  readonly changed: readonly Quarantined[];
  /** What was there before and is gone. */
  readonly vanished: readonly string[];
  /** Still stands where it would start code, with the system's code: a person must look. */
  readonly failed: readonly { readonly path: string; readonly code: string }[];
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

export const NOTHING: GuardReport = { quarantined: [], changed: [], vanished: [], failed: [], unseen: [] };

/** Looks at workspaces before and after runs, and takes away what a run planted to start code. */
export class WorkspaceGuards {
  readonly #index: PlaceIndex;
  readonly #stamper: Stamper;
  readonly #looks: OpenLooks;
  readonly #quarantineDirectory: string;

  /** `quarantineDirectory` is ours alone; `<run id>` is made in it for what a run leaves. */
  constructor(options: {
    readonly index: PlaceIndex;
    readonly stamper: Stamper;
    readonly looks: OpenLooks;
    readonly quarantineDirectory: string;
  }) {
    this.#index = options.index;
    this.#stamper = options.stamper;
    this.#looks = options.looks;
    this.#quarantineDirectory = options.quarantineDirectory;
  }

  /** Looks at a workspace right before a run, and says what its jail must cover. Rejects with JailError. */
  async guard(facts: GuardFacts, placeholders: Placeholders): Promise<Guard> {
    const { root, home, isGit, writable } = facts;
    // What a fallen mount uncovers in a read-only workspace is read-only too: nothing there can have changed by it.
    if (!writable) {
      const places = await findPlaces(root, { home, isGit, index: this.#index });
      return { steps: hidePlaces(root, places), finish: async () => NOTHING, release: () => undefined };
    }
    const look = this.#looks.begin(lookFacts(facts, []));
    const undo = [() => this.#looks.leave(look, "nothing-run")];
    const release = () => {
      for (const one of undo.splice(0).reverse()) one();
    };
    try {
      const places = await findPlaces(root, { home, isGit, index: this.#index });
      refuseHeld(facts.writes, placeholders);
      const held = hold(placeholders, maskedNames({ ...facts, places }));
      undo.push(() => held.release());
      const all = { ...places, startsCode: [...new Set([...places.startsCode, ...held.existing])] };
      const { steps } = pinPlaces({ ...facts, places: all, masks: held.masks });
      await this.#remember(look, facts, all);
      const finish = async (runId: string) => {
        try {
          return await this.#finish(look, runId, (path) => placeholders.isHeld(path));
        } finally {
          undo.splice(0);
          held.release();
        }
      };
      return { steps, finish, release };
    } catch (cause) {
      release();
      throw cause;
    }
  }

  /** Looks that an earlier process didn't finish: finishes each, and reports also what that process took away. */
  async finishLeft({ id, facts, taken, looked }: LeftLook): Promise<GuardReport> {
    const earlier = taken.flatMap(({ runId, paths }) =>
      paths.flatMap((path, at) => takenAlready(path, join(this.#quarantineDirectory, runId), at)),
    );
    if (looked) return { ...NOTHING, changed: earlier };
    const look: OpenLook = { id, facts, strangers: new Set(), runs: true };
    if (kindAt(facts.root) !== "directory") {
      this.#looks.leave(look, "clean");
      return { ...NOTHING, changed: earlier, failed: [{ path: facts.root, code: "ENOENT" }] };
    }
    // Placeholders that nobody put anything into were removed at the start, but for those that are marked no more.
    const report = await this.#finish(look, uuidv7(), isMaskedName);
    return { ...report, changed: [...earlier, ...report.changed] };
  }

  /** Leaves no file if nothing is left to be looked at. */
  close(): void {
    this.#looks.close();
  }

  async #remember(look: OpenLook, facts: GuardFacts, places: Places): Promise<void> {
    const hidden = places.unseen.map(({ path }) => path);
    const fresh = await stampPlaces(places, { root: facts.root, stamper: this.#stamper, look: "before" });
    try {
      await this.#looks.remember(look, lookFacts(facts, hidden), fresh);
    } catch (cause) {
      throw new JailError("STATE_UNWRITABLE", `What starts code can't be remembered (${String(cause)})`, { cause });
    }
  }

  /**
   * `isHeld`: by a placeholder of ours. What fails here stays open on disk: the next start of the hub looks again.
   */
  async #finish(look: OpenLook, runId: string, isHeld: (path: string) => boolean): Promise<GuardReport> {
    const { facts } = look;
    const { root, isGit, hidden } = facts;
    const [looks, stamper] = [this.#looks, this.#stamper];
    const places = await findPlaces(root, { home: homeDirectory(), isGit, index: this.#index });
    const stamps = await stampPlaces(places, { root, stamper, look: "after" });
    const found = lookAfter({
      ...{ facts, places, stamps },
      expected: looks.stampsIn(root),
      others: (path) => looks.others(look, path),
      isOurs: (path) => isHeld(path) && isEmptyDirectory(path),
      recheck: (path) => ({ expected: looks.stampAt(path), now: stamper.stamp(path, { bytes: RECHECKED_BYTES }) }),
    });
    looks.accept(look, found.accepted);
    const report = await this.#takeAway(look, runId, found);
    const isClean = report.quarantined.length + report.changed.length === 0;
    looks.leave(look, isClean ? "clean" : "found");
    return { ...report, unseen: [...report.unseen, ...places.unseen.filter(({ path }) => !hidden.includes(path))] };
  }

  async #takeAway(look: OpenLook, runId: string, found: Look): Promise<GuardReport> {
    const { planted, changed, vanished, unsure } = found;
    const paths = [...new Set([...planted, ...changed])];
    if (paths.length > 0) this.#looks.take(look, runId, paths);
    const { quarantined, failed } = await quarantine(paths, join(this.#quarantineDirectory, runId));
    const isItsOwn = ({ path }: Quarantined) => !changed.includes(path) && !look.strangers.has(path);
    return {
      quarantined: quarantined.filter(isItsOwn),
      changed: quarantined.filter((one) => !isItsOwn(one)),
      vanished,
      failed,
      unseen: unsure.map((path) => ({ path, code: "too-many-entries" })),
    };
  }
}

/** Of one file that differs. */
const RECHECKED_BYTES = 64 * 1024 * 1024;

function lookFacts({ root, isGit, writes, removes, opensGit, key }: GuardFacts, hidden: string[]): LookFacts {
  return { root, isGit, writes: [...writes], removes: [...removes], opensGit, hidden, key };
}

/** A name that another run keeps free can't be taken from it, or it would be open to that run, too. */
function refuseHeld(writes: readonly string[], placeholders: Placeholders): void {
  const path = placeholders.heldAround(writes).find((one) => writes.includes(one));
  if (path === undefined) return;
  throw new JailError("PLACE_HELD", `Another run must end first: while it may write, nothing can be made at ${path}`);
}

function hold(placeholders: Placeholders, names: readonly string[]): Held {
  try {
    return placeholders.hold(names);
  } catch (cause) {
    throw new JailError("STATE_UNWRITABLE", `Places that start code can't be held (${String(cause)})`, { cause });
  }
}

/** A move that a crash cut short may have ended in either place. */
function takenAlready(path: string, directory: string, number: number): Quarantined[] {
  const at = join(directory, `${number}`, basename(path));
  return kindAt(at) === undefined ? [] : [{ path, at }];
}
