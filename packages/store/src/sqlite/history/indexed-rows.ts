import { decidedSchema } from "../../contract/index.ts";
import type { Row, Statements } from "../base/index.ts";
import { fold, type Indexed } from "./block.ts";

/** Of a command: what stands behind it isn't searched. */
const SEARCHED_CHARS = 16_384;

const SQL = `SELECT h.place, h.ended_at_ms, h.exit_code, p.outcome_kind, p.session_id, p.cwd, p.decided,
    coalesce(s.agent_name, '') AS agent_name, substr(p.command, 1, ${SEARCHED_CHARS}) AS command
  FROM history h JOIN proposal p ON p.key = h.proposal_key LEFT JOIN session s ON s.id = p.session_id
  WHERE h.place > ? ORDER BY h.place LIMIT ?`;

/** The oldest behind a place, with what they are found by. `isFull`: there are as many as a block takes. */
export function indexedAfter(
  sql: Statements,
  place: number,
  { limit, maxText }: { readonly limit: number; readonly maxText: number },
): { readonly rows: readonly Indexed[]; readonly isFull: boolean } {
  const rows: Indexed[] = [];
  let chars = 0;
  for (const row of sql.all(SQL, place, limit)) {
    const indexed = toIndexed(row);
    chars += indexed.text.length;
    if (chars > maxText && rows.length > 0) return { rows, isFull: true };
    rows.push(indexed);
  }
  return { rows, isFull: rows.length === limit };
}

function toIndexed(row: Row): Indexed {
  const { by = "", risk = "", agent = String(row.agent_name) } = readDecided(row.decided) ?? {};
  return {
    place: Number(row.place),
    endedAtMs: Number(row.ended_at_ms),
    text: fold(String(row.command)),
    agent,
    session: String(row.session_id),
    directory: String(row.cwd),
    by,
    risk,
    result: resultOf(row),
  };
}

/** Undefined where nothing was decided, or it can't be read. */
export function readDecided(text: Row[string] | undefined) {
  if (typeof text !== "string") return undefined;
  try {
    return decidedSchema.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Exiting has two ways that people tell apart. */
export function resultOf({ outcome_kind: kind, exit_code: exitCode }: Row): string {
  if (kind !== "exited") return String(kind ?? "unknown");
  return exitCode === 0 ? "succeeded" : "failed";
}
