import { isInside } from "@countersign/core/host/fs";
import { uuidv7 } from "uuidv7";
import { isSame, type Stamp } from "./entry-stamp.ts";
import { type JournalLine, type LeftLook, type LookFacts, LookJournal, overlap } from "./look-journal.ts";

/** The journal is rewritten above this, or emptied where no run is open. */
const MOST_JOURNAL_BYTES = 16 * 1024 * 1024;

/** One run that may write in a workspace, until what it left was looked at. */
export interface OpenLook {
  readonly id: string;
  facts: LookFacts;
  /** What stood there when it began, though nobody knows whether it may: another run that is open could have planted it. */
  readonly strangers: Set<string>;
  /** Its stamps are taken: from now on it may write. */
  runs: boolean;
}

/**
 * What starts code in workspaces, as it stood before the first of the runs that may write there now. A pinned file can become
 * writable in a jail when something outside of it replaces its name: then any of those runs could have changed it, so that the
 * stamp stays until none of them is open any more. What a run was approved to change gets a new stamp at its end.
 */
export class OpenLooks {
  readonly #journal: LookJournal;
  readonly #open = new Map<string, OpenLook>();
  readonly #stamps: Map<string, Stamp>;
  /** What the journal says that they are. */
  readonly #written: Map<string, Stamp>;
  /** Lines that couldn't be written: they come before the next one. */
  #owed: JournalLine[] = [];
  readonly #left: LeftLook[];
  /** Lines of the journal that can't be read: a run of an earlier process may stand in them. */
  readonly unread: number;

  /** `stateDirectory` exists and is ours alone. */
  constructor(stateDirectory: string) {
    this.#journal = new LookJournal(stateDirectory);
    const { stamps, left, unread } = this.#journal.read();
    this.unread = unread;
    this.#stamps = stamps;
    this.#written = new Map(stamps);
    this.#left = left;
    for (const { id, facts, looked } of left)
      if (!looked) this.#open.set(id, { id, facts, strangers: new Set(), runs: true });
    this.#forgetUncovered();
  }

  /** Looks that an earlier process didn't finish, once. */
  takeLeft(): readonly LeftLook[] {
    return this.#left.splice(0);
  }

  /** Begins a run, before anything of its workspace is looked at: from now on no stamp there is forgotten. */
  begin(facts: LookFacts): OpenLook {
    const look = { id: uuidv7(), facts, strangers: new Set<string>(), runs: false };
    this.#open.set(look.id, look);
    return look;
  }

  /**
   * `fresh` is what stands there now; it is on disk when this resolves, and the run may start. Stamps from before stay. What has
   * none is a stranger where another run was open already.
   */
  async remember(look: OpenLook, facts: LookFacts, fresh: ReadonlyMap<string, Stamp>): Promise<void> {
    look.facts = { ...facts, ...(look.facts.shared && { shared: true }) };
    look.runs = true;
    for (const one of this.#open.values()) if (one !== look && one.runs && overlap(one.facts, facts)) share(one, look);
    for (const [path, stamp] of fresh) {
      if (this.#stamps.has(path)) continue;
      if (this.others(look, path).length > 0) look.strangers.add(path);
      else this.#stamps.set(path, stamp);
    }
    this.#append([{ open: look.id, facts: look.facts, stamps: this.#unwritten(facts.root) }]);
    await this.#journal.flush();
  }

  stampsIn(root: string): ReadonlyMap<string, Stamp> {
    return new Map([...this.#stamps].filter(([path]) => isInside(path, root)));
  }

  stampAt(path: string): Stamp | undefined {
    return this.#stamps.get(path);
  }

  /** Other runs that may write there now. */
  others({ id }: OpenLook, path: string): LookFacts[] {
    return [...this.#open.values()]
      .filter((one) => one.id !== id && one.runs && isInside(path, one.facts.root))
      .map((one) => one.facts);
  }

  /** What the others are to find there. Undefined: nothing. */
  accept(look: OpenLook, stamps: Iterable<readonly [path: string, stamp: Stamp | undefined]>): void {
    for (const [path, stamp] of stamps) put(this.#stamps, path, stamp);
    if (this.others(look, look.facts.root).length > 0) this.#try([{ stamps: this.#unwritten(look.facts.root) }]);
  }

  /** Told before anything is moved, so that whoever finds it gone can tell where it went. */
  take({ id }: OpenLook, runId: string, paths: readonly string[]): void {
    this.#try([{ take: id, taken: { runId, paths: [...paths] } }]);
  }

  /** Ends a run. `found`: something was taken away, and may not be on record yet. */
  leave(look: OpenLook, how: "nothing-run" | "clean" | "found"): void {
    if (!this.#open.delete(look.id)) return;
    this.#try([how === "found" ? { looked: look.id } : { close: look.id }]);
    this.#forgetUncovered();
    if (this.#journal.bytes > MOST_JOURNAL_BYTES) this.#compact();
  }

  /** What earlier processes left is dealt with. */
  forgetLeft(): void {
    if (this.#open.size === 0) this.#empty();
    else this.#compact();
  }

  /** Leaves no file if nothing is left to be looked at. */
  close(): void {
    this.#journal.close();
    if (this.#open.size === 0 && this.#left.length === 0) this.#empty();
  }

  #isCovered(path: string): boolean {
    for (const { facts } of this.#open.values()) if (isInside(path, facts.root)) return true;
    return false;
  }

  #forgetUncovered(): void {
    for (const path of this.#stamps.keys()) if (!this.#isCovered(path)) this.#stamps.delete(path);
  }

  /** What the journal doesn't say yet, or says and isn't so. */
  #unwritten(root: string): [string, Stamp | null][] {
    const changes: [string, Stamp | null][] = [];
    for (const [path, stamp] of this.#stamps) {
      const written = this.#written.get(path);
      const isKnown =
        written && isSame(written, stamp) && written.identity === stamp.identity && written.top === stamp.top;
      if (isInside(path, root) && !isKnown) changes.push([path, stamp]);
    }
    for (const path of this.#written.keys()) {
      if (isInside(path, root) && !this.#stamps.has(path)) changes.push([path, null]);
    }
    return changes;
  }

  #append(lines: readonly JournalLine[]): void {
    const all = [...this.#owed, ...lines];
    this.#journal.append(all);
    this.#owed = [];
    for (const line of all) {
      for (const [path, stamp] of "stamps" in line ? line.stamps : []) put(this.#written, path, stamp);
    }
  }

  /** On a full disk what was planted is taken away all the same. */
  #try(lines: readonly JournalLine[]): void {
    try {
      this.#append(lines);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === undefined) throw cause;
      this.#owed.push(...lines);
    }
  }

  #compact(): void {
    if (this.#open.size === 0) return this.#empty();
    const opened = [...this.#open.values()].map(({ id, facts }): JournalLine => ({ open: id, facts, stamps: [] }));
    try {
      this.#journal.rewrite([{ stamps: [...this.#stamps] }, ...opened]);
      this.#written.clear();
      for (const [path, stamp] of this.#stamps) this.#written.set(path, stamp);
      this.#owed = [];
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === undefined) throw cause;
    }
  }

  #empty(): void {
    this.#journal.clear();
    this.#written.clear();
    this.#owed = [];
  }
}

function share(...looks: OpenLook[]): void {
  for (const look of looks) look.facts = { ...look.facts, shared: true };
}

function put(stamps: Map<string, Stamp>, path: string, stamp: Stamp | null | undefined): void {
  if (stamp) stamps.set(path, stamp);
  else stamps.delete(path);
}
