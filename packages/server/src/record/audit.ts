import { type FileHandle, open } from "node:fs/promises";
import type { Json, LedgerEntry } from "@countersign/receipts";
import type { Log } from "../log.ts";
import type { ProposalRecord } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import { filterSecretsDeep, redactCommand } from "./filter-secrets.ts";

/** Seed 003's shape. */
export interface AuditEvent {
  readonly ts: number;
  readonly type: "auth" | "tool_exec" | "tool_denied" | "config_change";
  readonly sessionKey?: string;
  readonly details: Record<string, unknown>;
}

const BATCH = 500;
const TAIL_BYTES = 64 * 1024;
/** Far more than a command of 128 KiB takes when every character of it is escaped. */
const LONGEST_LINE = 4 * 1024 * 1024;

/**
 * `audit.jsonl`: a readable projection of the ledger, never its source. It follows the ledger by sequence number, so a
 * line that could not be written (full disk, crash) is written later, and none is written twice.
 */
export class Audit {
  readonly #store: Store;
  readonly #log: Log;
  readonly #file: FileHandle;
  #doneSeq: number;
  #turn: Promise<void> = Promise.resolve();
  #scheduled = false;
  /** Why the last attempt failed; undefined while it keeps up. */
  problem: string | undefined;
  /** Set when the ledger is shorter than what this file has seen of it. */
  setback: string | undefined;

  private constructor(rooms: { store: Store; log: Log }, file: FileHandle, doneSeq: number) {
    this.#store = rooms.store;
    this.#log = rooms.log;
    this.#file = file;
    this.#doneSeq = doneSeq;
  }

  static async open(path: string, rooms: { store: Store; log: Log }): Promise<Audit> {
    const file = await open(path, "a+", 0o600);
    await file.chmod(0o600);
    const done = await lastSeq(file);
    const head = (await rooms.store.ledgerHead())?.seq ?? 0;
    const audit = new Audit(rooms, file, Math.min(done, head));
    if (done > head) {
      audit.setback = `audit.jsonl knows ${done} entries and the ledger only ${head}: the database was replaced by an older one.`;
      rooms.log.error({ done, head }, audit.setback);
    }
    return audit;
  }

  /** The ledger has grown. Returns at once; calls that come close together are one write. */
  follow(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#turn = this.#turn.then(() => {
      this.#scheduled = false;
      return this.#catchUp();
    });
  }

  /** The newest events, oldest of them first, as far as they fit into what is read. */
  async tail(limit: number): Promise<AuditEvent[]> {
    this.follow();
    await this.#turn;
    const { size } = await this.#file.stat();
    const lines = (await readTail(this.#file, size, LONGEST_LINE)).split("\n");
    return lines.flatMap((line) => parseEvent(line) ?? []).slice(-limit);
  }

  async close(): Promise<void> {
    this.follow();
    await this.#turn;
    await this.#file.close();
  }

  async #catchUp(): Promise<void> {
    try {
      for (;;) {
        const entries = await this.#store.ledger({ afterSeq: this.#doneSeq, limit: BATCH });
        if (entries.length === 0) break;
        const events = await this.#project(entries);
        if (events.length > 0) await this.#append(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
        this.#doneSeq = entries.at(-1)?.seq ?? this.#doneSeq;
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
    const keys = entries.flatMap((entry) => (entry.type === "ended" && entry.proposalKey ? [entry.proposalKey] : []));
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
  if (ABOUT_WHO.has(entry.type)) {
    return { ts: entry.atMs, type: "auth", details: { event: entry.type, ...filterSecretsDeep(entry.body), ...facts } };
  }
  if (entry.type !== "ended") return undefined;
  const ran = RAN.has(String(entry.body.kind));
  const details: Record<string, Json> = {
    command: redactCommand(proposal?.command ?? ""),
    cwd: proposal?.cwd ?? "",
    ...filterSecretsDeep(entry.body),
    ...facts,
  };
  return { ts: entry.atMs, type: ran ? "tool_exec" : "tool_denied", sessionKey: entry.sessionId ?? "", details };
}

const ABOUT_WHO = new Set<LedgerEntry["type"]>(["token-created", "token-revoked", "device-claimed"]);
const RAN = new Set(["exited", "signalled", "timed-out", "aborted", "interrupted"]);

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
