import type { DatabaseSync } from "node:sqlite";
import type { Activity, Commit, HistoryPage, HistoryWish, Store, Write } from "../contract/index.ts";
import {
  type FrameRecord,
  KeyFiles,
  type KeysInForce,
  type LedgerDraft,
  type LedgerEntry,
  type Recorded,
  StoreError,
} from "../ledger/index.ts";
import { backUp } from "./back-up.ts";
import { Statements } from "./base/index.ts";
import { GroupCommit, type Progress } from "./commit/index.ts";
import { FrameBatcher, RecordingThread } from "./frames/index.ts";
import { publicKeysIn, refuseTooManyChanges } from "./ledger/index.ts";
import { type Looked, Looker, type LookOrder, ReadingThread, RecordReader } from "./reading/index.ts";
import { closed } from "./rows/index.ts";
import { AsidePlacer, placeInside } from "./sandboxes/index.ts";
import type { Mirror } from "./verified-copy/index.ts";

/** Receipts that get their places in a story in one transaction. */
const PLACED_TOGETHER = 500;

/** Who puts something on record: the store itself, with its keys; or another process, which it has a mirror of. */
type Writer =
  | { readonly keys: KeysInForce | KeyFiles }
  | { readonly mirror: Mirror; readonly sql: Statements; readonly commits: GroupCommit };

/** What it reads is said in the classes that it rests on; here is who writes. */
export class SqliteStore extends RecordReader implements Store {
  readonly #db: DatabaseSync;
  readonly #keys: KeysInForce | undefined;
  /** The same, where they are kept in files and so can change. */
  readonly #files: KeyFiles | undefined;
  readonly #commits: GroupCommit | undefined;
  readonly #frames: FrameBatcher | undefined;
  readonly #thread: RecordingThread | undefined;
  readonly #mirror: Mirror | undefined;
  /** On a thread where there is a file; a database that is in memory only is seen by nobody else. */
  readonly #reading: ReadingThread | undefined;
  readonly #looker: Looker;
  readonly #aside: AsidePlacer;
  readonly #backups = new Set<Promise<void>>();
  #rotating: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  /** Without a writer it only reads. */
  constructor(db: DatabaseSync, writer?: Writer) {
    const keys = writer && "keys" in writer ? writer.keys : undefined;
    const mirrored = writer && "mirror" in writer ? writer : undefined;
    super(mirrored?.sql ?? new Statements(db));
    this.#db = db;
    this.#keys = keys;
    this.#files = keys instanceof KeyFiles ? keys : undefined;
    this.#mirror = mirrored?.mirror;
    this.#commits = mirrored?.commits ?? (keys && new GroupCommit({ db, sql: this.sql, keys }));
    const path = db.location();
    this.#reading = path === null ? undefined : new ReadingThread(path);
    this.#looker = new Looker(this.sql);
    this.#aside = new AsidePlacer(this.sql);
    this.#thread = keys && path !== null ? new RecordingThread(path) : undefined;
    this.#frames =
      keys && this.#commits && new FrameBatcher({ sql: this.sql, keys, commits: this.#commits, thread: this.#thread });
  }

  async commit(writes: readonly Write[]): Promise<Commit> {
    this.assertOpen();
    if (!this.#commits) throw new StoreError("UNWRITABLE", "The store was opened to read.");
    return await (this.#mirror?.outbox.commit(writes) ?? this.#commits.add(writes));
  }

  /** Not `async`: it would be one promise more for each of thousands in a second. */
  record(frame: FrameRecord): Promise<Recorded> {
    if (this.#closing !== null) return Promise.reject(closed());
    return this.#frames?.add(frame) ?? Promise.reject(new StoreError("UNWRITABLE", "The store was opened to read."));
  }

  rotateKey(draft: Pick<LedgerDraft, "atMs" | "body">): Promise<LedgerEntry> {
    const rotating = this.#rotating.then(() => this.#rotate(draft));
    this.#rotating = rotating.catch(() => undefined);
    return rotating;
  }

  async history(wish: HistoryWish, signal?: AbortSignal): Promise<HistoryPage> {
    this.assertOpen();
    if (!isWellFormed(wish)) return { rows: [], next: null, newest: 0 };
    return await this.look({ kind: "search", wish }, signal);
  }

  async activity(fromMs: number, signal?: AbortSignal): Promise<Activity> {
    this.assertOpen();
    return await this.look({ kind: "activity", fromMs }, signal);
  }

  async ledgerKeys(): Promise<readonly Uint8Array[]> {
    const onRecord = this.ask(() => publicKeysIn(this.sql));
    const own = this.#mirror?.publicKey ?? this.#keys?.current.signer.publicKey;
    return onRecord.length === 0 && own ? [own] : onRecord;
  }

  async nextLedgerKey(): Promise<Uint8Array | null> {
    return this.#files?.next() ?? null;
  }

  protected override get isClosed(): boolean {
    return this.#closing !== null;
  }

  protected override async look<Order extends LookOrder>(order: Order, signal?: AbortSignal): Promise<Looked<Order>> {
    this.assertOpen();
    if (this.#reading !== undefined) return await this.#reading.look(order, signal);
    return this.ask(() => this.#looker.look(order) as Looked<Order>);
  }

  /** A page at a time, so that others get their turn. */
  protected override async placeSteps(sandbox: string): Promise<void> {
    this.assertOpen();
    if (!sandbox.isWellFormed()) return;
    if (this.#commits === undefined) {
      this.ask(() => this.#aside.place(sandbox));
      return;
    }
    const place = ({ sql }: Progress) => placeInside(sql, sandbox, PLACED_TOGETHER);
    while ((await this.#commits.do({ apply: place, keeps: (looked) => looked > 0 })) > 0);
  }

  get isMirror(): boolean {
    return this.#mirror !== undefined;
  }

  get forgotten(): number {
    return this.#mirror?.forgotten ?? 0;
  }

  unrecordable(): StoreError | undefined {
    return this.#mirror?.outbox.problem;
  }

  onAppend(listener: () => void): void {
    this.#commits?.onAppend(listener);
  }

  onFailure(listener: (error: StoreError) => void): void {
    this.#commits?.onFailure(listener);
  }

  async backup(path: string): Promise<void> {
    this.assertOpen();
    const backup = backUp(this.#db, path);
    this.#backups.add(backup);
    try {
      await backup;
    } finally {
      this.#backups.delete(backup);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Nothing is signed on other threads while the key changes: it would come too late. */
  async #rotate(draft: Pick<LedgerDraft, "atMs" | "body">): Promise<LedgerEntry> {
    this.assertOpen();
    if (this.#mirror) return await this.#mirror.rotate(draft.body);
    const [commits, files] = [this.#commits, this.#files];
    if (!commits || !this.#frames || !files) throw new StoreError("UNWRITABLE", "The store was opened to read.");
    this.ask(() => refuseTooManyChanges(this.sql, draft.atMs));
    const next = await files.prepare();
    const change = { apply: ({ ledger }: Progress) => ledger.rotate(next, draft), keeps: () => true };
    const entry = await this.#frames.whileQuiet(async () => {
      // A key that is given up isn't to stay in a thread's memory.
      await this.#thread?.close();
      return await commits.do(change);
    });
    await files.settle();
    return entry;
  }

  async #close(): Promise<void> {
    await this.#rotating;
    await this.#frames?.settle();
    try {
      await this.#thread?.close();
    } finally {
      await this.#reading?.close();
      this.#mirror?.outbox.close();
      this.#commits?.drain();
      await Promise.allSettled(this.#backups);
      this.#db.close();
    }
  }
}

/** SQLite would look for U+FFFD instead. */
function isWellFormed({ words = [], directory = "" }: HistoryWish): boolean {
  return [...words, directory].every((text) => text.isWellFormed());
}
