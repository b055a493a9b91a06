import { type FileHandle, open } from "node:fs/promises";
import type { Clock, Log, Timer } from "@countersign/core/base";
import { filterSecrets, filterSecretsDeep, redactCommand } from "@countersign/core/redaction";
import { STARTED_OUTCOMES } from "@countersign/protocol/describe";
import type { Json } from "@countersign/receipts";
import type { AuditType } from "@countersign/vocabulary";
import type { ProposalRecord, Store } from "../contract/index.ts";
import type { LedgerEntry } from "../ledger/index.ts";

/** Seed 003's shape. */
export interface AuditEvent {
  readonly ts: number;
  readonly type: AuditType;
  readonly sessionKey?: string;
  readonly details: Record<string, unknown>;
}

const BATCH = 500;
/** How long it waits for more to write: reading and writing entry by entry would cost each proposal half a commit. */
const MOMENT_MS = 50;
const TAIL_BYTES = 64 * 1024;
/** Far more than a command of 128 KiB takes when every character of it is escaped. */
const LONGEST_LINE = 4 * 1024 * 1024;

/**
 * `audit.jsonl`: a readable projection of the ledger, never its source. It follows the ledger by sequence number, so a
 * line that could not be written (full disk, crash) is written later, and none is written twice.
 */
export class Audit {
  readonly #store: Pick<Store, "ledger" | "ledgerHead" | "proposals">;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #file: FileHandle;
  #doneSeq: number;
  #turn: Promise<void> = Promise.resolve();
  /** The turn that hasn't begun, if any: it will read whatever is in the ledger by then. */
  #next: Promise<void> | undefined;
  #due: Timer | undefined;
  /** Lines that this process wrote. */
  written = 0;
  /** Why the last attempt failed; undefined while it keeps up. */
  problem: string | undefined;
  /** Set when the ledger is shorter than what this file has seen of it. */
  setback: string | undefined;

  private constructor(
    file: FileHandle,
    doneSeq: number,
    {
      store,
      log,
      clock,
    }: { readonly store: Pick<Store, "ledger" | "ledgerHead" | "proposals">; readonly log: Log; readonly clock: Clock },
  ) {
    this.#store = store;
    this.#log = log;
    this.#clock = clock;
    this.#file = file;
    this.#doneSeq = doneSeq;
  }

  static async open(
    path: string,
    {
      store,
      log,
      clock,
    }: { readonly store: Pick<Store, "ledger" | "ledgerHead" | "proposals">; readonly log: Log; readonly clock: Clock },
  ): Promise<Audit> {
    const file = await open(path, "a+", 0o600);
    await file.chmod(0o600);
    const done = await lastSeq(file);
    const head = (await store.ledgerHead())?.seq ?? 0;
    const audit = new Audit(file, Math.min(done, head), { store, log, clock });
    if (done > head) {
      audit.setback = `audit.jsonl knows ${done} entries and the ledger only ${head}: the database was replaced by an older one.`;
      log.error({ done, head }, audit.setback);
    }
    return audit;
  }

  /** The ledger has grown. Returns at once; calls that come close together are one write. */
  follow(): void {
    this.#due ??= this.#clock.after(MOMENT_MS, () => void this.upToDate());
  }

  /** The newest events, oldest of them first, as far as they fit into what is read. */
  async tail(limit: number): Promise<AuditEvent[]> {
    await this.upToDate();
    const { size } = await this.#file.stat();
    const lines = (await readTail(this.#file, size, LONGEST_LINE)).split("\n");
    return lines.flatMap((line) => parseEvent(line) ?? []).slice(-limit);
  }

  async close(): Promise<void> {
    await this.upToDate();
    await this.#file.close();
  }

  /** Resolves once everything that is in the ledger now has its line, or couldn't be written: `problem` says why. Never rejects. */
  upToDate(): Promise<void> {
    this.#due?.cancel();
    this.#due = undefined;
    this.#next ??= this.#turn.then(() => {
      this.#next = undefined;
      return this.#writeMissing();
    });
    this.#turn = this.#next;
    return this.#turn;
  }

  async #writeMissing(): Promise<void> {
    try {
      for (let length = BATCH; length === BATCH; ) {
        const entries = await this.#store.ledger({ afterSeq: this.#doneSeq, limit: BATCH });
        const events = await this.#project(entries);
        if (events.length > 0) await this.#append(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
        this.written += events.length;
        this.#doneSeq = entries.at(-1)?.seq ?? this.#doneSeq;
        length = entries.length;
      }
      this.problem = undefined;
    } catch (cause) {
      this.problem = `audit.jsonl is behind: ${cause instanceof Error ? cause.message : String(cause)}`;
      this.#log.error({ err: cause }, "audit.jsonl could not be written; the ledger is whole and it will catch up");
    }
  }

  /** All or nothing: what a full disk let through is taken back, because the whole batch will be written again. */
  async #append(lines: string): Promise<void> {
    const { size } = await this.#file.stat();
    try {
      await this.#file.appendFile(lines);
    } catch (cause) {
      await this.#file.truncate(size);
      throw cause;
    }
  }

  async #project(entries: readonly LedgerEntry[]): Promise<AuditEvent[]> {
    const keys = entries.flatMap((entry) => (isEnd(entry) && entry.proposalKey ? [entry.proposalKey] : []));
    const proposals = new Map((await this.#store.proposals(keys)).map((proposal) => [proposal.key, proposal]));
    return entries.flatMap((entry) => toEvent(entry, proposals.get(entry.proposalKey ?? "")) ?? []);
  }
}

/** A proposal that never started is `tool_denied`, whatever the reason; only what ran is `tool_exec`. */
function toEvent(entry: LedgerEntry, proposal: ProposalRecord | undefined): AuditEvent | undefined {
  const facts = { seq: entry.seq, receipt: entry.hash };
  if (entry.type === "policy-changed") {
    return { ts: entry.atMs, type: "config_change", details: { ...filterSecretsDeep(entry.body), ...facts } };
  }
  if (CHANGES.has(entry.type)) {
    const details = { event: entry.type, ...filterSecretsDeep(entry.body), ...facts };
    return { ts: entry.atMs, type: "config_change", details };
  }
  if (ABOUT_WHO.has(entry.type)) {
    return { ts: entry.atMs, type: "auth", details: { event: entry.type, ...filterSecretsDeep(entry.body), ...facts } };
  }
  if (!isEnd(entry)) return undefined;
  const ran = (STARTED_OUTCOMES as ReadonlySet<string>).has(String(entry.body.kind));
  const details: Record<string, Json> = {
    command: redactCommand(proposal?.command ?? ""),
    cwd: filterSecrets(proposal?.cwd ?? ""),
    ...filterSecretsDeep(entry.body),
    ...(entry.type === "preview-ended" ? { preview: true } : {}),
    ...facts,
  };
  return { ts: entry.atMs, type: ran ? "tool_exec" : "tool_denied", sessionKey: entry.sessionId ?? "", details };
}

function isEnd({ type }: LedgerEntry): boolean {
  return type === "ended" || type === "preview-ended";
}

const ABOUT_WHO = new Set<LedgerEntry["type"]>([
  "token-created",
  "token-revoked",
  "device-claimed",
  "revealed",
  "auth-failed",
]);
const CHANGES = new Set<LedgerEntry["type"]>([
  "key-rotated",
  "config-changed",
  "notify-on",
  "notify-off",
  "adapter-installed",
  "adapter-removed",
]);

/** The newest sequence number in the file. A torn last line (crash while writing) is ended, so that the next starts clean. */
async function lastSeq(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const last = await readTail(file, size, 1);
  if (last !== "" && last !== "\n") await file.appendFile("\n");
  for (let length = TAIL_BYTES; ; length *= 4) {
    const seq = newestIn(await readTail(file, size, length));
    if (seq !== undefined) return seq;
    if (length >= size || length > LONGEST_LINE) return 0;
  }
}

async function readTail(file: FileHandle, size: number, atMost: number): Promise<string> {
  const length = Math.min(size, atMost);
  const { buffer } = await file.read({ buffer: Buffer.alloc(length), position: size - length, length });
  return buffer.toString("utf8");
}

function newestIn(text: string): number | undefined {
  for (const line of text.split("\n").reverse()) {
    const seq = seqOf(line);
    if (seq !== undefined) return seq;
  }
  return undefined;
}

function seqOf(line: string): number | undefined {
  const seq = parseEvent(line)?.details.seq;
  return typeof seq === "number" && Number.isSafeInteger(seq) ? seq : undefined;
}

/** Undefined for a torn or foreign line. */
function parseEvent(line: string): AuditEvent | undefined {
  try {
    const event = JSON.parse(line) as AuditEvent | null;
    return typeof event?.details === "object" && event.details !== null ? event : undefined;
  } catch {
    return undefined;
  }
}
