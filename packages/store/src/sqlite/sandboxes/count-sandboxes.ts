import type { Receipt } from "@countersign/receipts";
import { type PlacedReceipt, type RawReceipt, type Statements, textOf } from "../base/index.ts";
import { OutsidePlacer } from "./place-outside.ts";

/** One receipt of a sandbox's, as far as it is counted. */
interface Noted {
  readonly sandbox: string;
  readonly chainId: string;
  readonly begins: boolean;
  readonly seq: number;
  readonly atMs: number;
  readonly type: string;
  readonly raw: RawReceipt;
}

interface Sum {
  readonly first: Noted;
  last: Noted;
  receipts: number;
  dropped: number;
  readonly actions: Map<string, number>;
}

const SANDBOX_CHAIN = /:sandbox:([\w.-]+)$/;
/** Sums of what others claim stay there: one more, and they couldn't be read. */
const MOST = Number.MAX_SAFE_INTEGER;
const DROPS = "agent_receipts.events_dropped";

/** What one transaction adds to what is known of sandboxes: written once, before it ends, however many receipts it has. */
export class SandboxCounts {
  readonly #noted: Noted[] = [];

  note({ chainId, sequence, emitter, type, atMs }: PlacedReceipt, raw: RawReceipt, seq: number): void {
    const sandbox = emitter === null ? undefined : SANDBOX_CHAIN.exec(chainId)?.[1];
    if (sandbox === undefined) return;
    this.#noted.push({ sandbox, chainId, begins: sequence === 1, seq, atMs, type, raw });
  }

  /** After the ledger was taken back to this receipt. */
  forgetAfter(seq: number): void {
    while ((this.#noted.at(-1)?.seq ?? 0) > seq) this.#noted.pop();
  }

  write(sql: Statements): void {
    const sums = new Map<string, Sum>();
    const outside = new OutsidePlacer(sql);
    for (const noted of this.#noted) {
      add(noted, sums);
      outside.place(noted);
      if (noted.begins) {
        const begun = "INSERT INTO sandbox_chain (sandbox_id, first_seq, chain_id) VALUES (?, ?, ?)";
        sql.run(begun, noted.sandbox, noted.seq, noted.chainId);
      }
      if (noted.type === "system.pty.open" || noted.type === "system.pty.close") pair(sql, noted);
    }
    for (const [sandbox, sum] of sums) writeSum(sql, sandbox, sum);
    outside.write();
    this.#noted.length = 0;
  }
}

function add(noted: Noted, sums: Map<string, Sum>): void {
  const { sandbox, type, raw } = noted;
  const sum = sums.get(sandbox) ?? { first: noted, last: noted, receipts: 0, dropped: 0, actions: new Map() };
  sums.set(sandbox, sum);
  sum.last = noted;
  sum.receipts += 1;
  if (type === DROPS) sum.dropped = Math.min(sum.dropped + droppedIn(raw), MOST);
  else sum.actions.set(type, (sum.actions.get(type) ?? 0) + 1);
}

function writeSum(sql: Statements, sandbox: string, { first, last, receipts, dropped, actions }: Sum): void {
  sql.run(
    `INSERT INTO sandbox (id, first_seq, first_at_ms, last_seq, last_at_ms, receipts, dropped) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET last_seq = excluded.last_seq, last_at_ms = excluded.last_at_ms,
        receipts = receipts + excluded.receipts, dropped = min(dropped + excluded.dropped, ${MOST})`,
    ...[sandbox, first.seq, first.atMs, last.seq, last.atMs, receipts, dropped],
  );
  for (const [type, count] of actions) {
    sql.run(
      `INSERT INTO sandbox_action (sandbox_id, type, count) VALUES (?, ?, ?)
        ON CONFLICT (sandbox_id, type) DO UPDATE SET count = count + excluded.count`,
      ...[sandbox, type, count],
    );
  }
}

/** By their correlator; what was refused or denied opened nothing. One that is opened again under it is another terminal, and what was before is never closed by it. */
function pair(sql: Statements, { sandbox, seq, type, raw }: Noted): void {
  const { correlation_id: correlator, outcome } = receiptIn(raw).credentialSubject;
  if (typeof correlator !== "string") return;
  if (type === "system.pty.open") {
    if (outcome.status !== "success") return;
    sql.run(
      `INSERT INTO sandbox_terminal (sandbox_id, correlation_id, opened_seq) VALUES (?, ?, ?)
        ON CONFLICT (sandbox_id, correlation_id) DO UPDATE SET opened_seq = excluded.opened_seq, closed_seq = NULL`,
      ...[sandbox, correlator, seq],
    );
    return;
  }
  const close = `UPDATE sandbox_terminal SET closed_seq = ?
    WHERE sandbox_id = ? AND correlation_id = ? AND closed_seq IS NULL`;
  sql.run(close, seq, sandbox, correlator);
}

function receiptIn(raw: RawReceipt): Receipt {
  return JSON.parse(textOf(raw));
}

function droppedIn(raw: RawReceipt): number {
  const { action } = receiptIn(raw).credentialSubject;
  const { drop_count: dropped } = (action.emitter_metadata ?? {}) as { readonly drop_count?: unknown };
  return typeof dropped === "number" && Number.isSafeInteger(dropped) ? dropped : 0;
}
