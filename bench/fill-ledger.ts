import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "@countersign/store";
import { Statements } from "../packages/store/src/sqlite/base/statements.ts";
import { addSpans } from "../packages/store/src/sqlite/ledger/receipt-spans.ts";
import { writeReceipts } from "./sample-receipts.ts";

/** As many as the hub looks at when it starts: these are real. */
const REAL_TAIL = 1_100;
const SESSIONS = 1_000;
const TYPES = ["decided", "started", "ended", "system.command.execute", "network.egress.observed"];

/**
 * Writes a ledger of so many receipts into a home in seconds: the first and the last are real, what is between are rows of the real size whose text is
 * one signed sample. A page of them costs what a real one does; verified they couldn't be.
 */
export async function fillLedger(home: string, count: number): Promise<{ startMs: number; stepMs: number }> {
  const path = join(home, "countersign.db");
  const store = await openSqliteStore(path);
  const append = (atMs: number) =>
    ({
      op: "append",
      draft: { type: "hub-up", sessionId: null, proposalKey: null, atMs, body: { version: "bench" } },
    }) as const;
  const stepMs = 1_000;
  const startMs = Date.now() - count * stepMs;
  await store.commit([append(startMs)]);
  const [raw] = await writeReceipts(1);
  const first = ((await store.ledgerHead())?.seq ?? 0) + 1;
  const last = count - REAL_TAIL;
  const db = new DatabaseSync(path);
  db.exec("PRAGMA synchronous = OFF; BEGIN");
  db.prepare(
    `WITH RECURSIVE n(seq) AS (SELECT CAST(?1 AS INTEGER) UNION ALL SELECT seq + 1 FROM n WHERE seq < ?2)
     INSERT INTO receipt (seq, chain_id, chain_seq, hash, raw, type, session_id, at_ms, emitter)
     SELECT seq, 'countersign:00000000-0000-7000-8000-000000000000:session:s' || (seq % ${SESSIONS}), seq,
       'sha256:' || lower(hex(randomblob(32))), CAST(?3 AS TEXT),
       CASE seq % 5 ${TYPES.map((type, at) => `WHEN ${at} THEN '${type}'`).join(" ")} END,
       CASE WHEN seq % 5 < 3 THEN 's' || (seq % ${SESSIONS}) END, ?4 + seq * ${stepMs}, 'bench' FROM n`,
  ).run(first, last, raw as Uint8Array, startMs);
  addSpans(new Statements(db), { before: first - 1, last });
  for (let level = 0, width = last; width > 0; level += 1, width = Math.floor(width / 2)) {
    const from = level === 0 ? first - 1 : Math.floor((first - 1) / 2 ** level);
    db.prepare(
      `WITH RECURSIVE n(idx) AS (SELECT CAST(?1 AS INTEGER) UNION ALL SELECT idx + 1 FROM n WHERE idx < ?2 - 1)
       INSERT OR IGNORE INTO tree_node (id, hash) SELECT ((((idx + 1) << ?3) - 1) << 6) | ?3, randomblob(32) FROM n`,
    ).run(from, width, level);
  }
  db.exec("COMMIT");
  db.close();
  for (let real = 0; real < REAL_TAIL; real += 100)
    await store.commit(Array.from({ length: 100 }, (_, at) => append(startMs + (last + real + at) * stepMs)));
  await store.close();
  return { startMs, stepMs };
}
