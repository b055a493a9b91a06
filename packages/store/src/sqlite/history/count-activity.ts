import { STARTED_OUTCOMES } from "@countersign/protocol/describe";
import type { Activity, ActivityGroup, Told } from "../../contract/index.ts";
import type { Row, Statements } from "../base/index.ts";
import { ROWS_IN_BLOCK } from "./build-blocks.ts";
import { readDecided, resultOf } from "./indexed-rows.ts";
import { newestPlace } from "./search.ts";

/** Counted for one span: a very busy day has some ten thousands. */
const MAX_COUNTED = 200_000;
const MAX_GROUPS = 1_000;
const MAX_NAMES = 50;
const OTHERS = "(others)";

/** As results: what exited succeeded or failed. */
const RAN_RESULTS: ReadonlySet<string> = new Set([...STARTED_OUTCOMES, "succeeded", "failed"]);
const NOT_STARTED = new Set(["jail-refused", "not-started"]);

/**
 * What happened since a time. Ended proposals only ever come behind those that are counted, so that asking again costs no more than
 * what came meanwhile.
 */
export class ActivityCount {
  readonly fromMs: number;
  readonly #groups = new Map<string, Group>();
  #counted: number;
  readonly #isWhole: boolean;

  constructor(sql: Statements, fromMs: number) {
    this.fromMs = fromMs;
    const least = newestPlace(sql) - MAX_COUNTED;
    const begins = placeBefore(sql, fromMs, least - ROWS_IN_BLOCK);
    this.#counted = Math.max(begins, least);
    this.#isWhole = begins >= least;
  }

  tell(sql: Statements): Activity {
    const SQL = `SELECT h.place, h.exit_code, p.outcome_kind, p.cwd, p.created_at_ms, p.decided, coalesce(s.agent_name, '') AS agent_name
      FROM history h JOIN proposal p ON p.key = h.proposal_key LEFT JOIN session s ON s.id = p.session_id
      WHERE h.place > ? AND h.ended_at_ms >= ? ORDER BY h.place`;
    for (const row of sql.each(SQL, this.#counted, this.fromMs)) {
      this.#counted = Number(row.place);
      this.#count(row);
    }
    const groups = withOpen(
      [...this.#groups.values()].map((group) => group.told),
      sql,
    );
    return { groups: groups.sort(byRan), newest: newestPlace(sql), isWhole: this.#isWhole };
  }

  #count(row: Row): void {
    const decided = readDecided(row.decided);
    const agent = decided?.agent ?? String(row.agent_name);
    this.#groupOf(agent, decided?.repository ?? String(row.cwd)).add(resultOf(row), {
      asked: decided?.asked ?? false,
      waitedMs: decided?.asked ? Math.max(0, decided.atMs - Number(row.created_at_ms)) : 0,
      hosts: decided?.hosts ?? [],
      outside: decided?.outside ?? [],
    });
  }

  #groupOf(agent: string, directory: string): Group {
    const key = JSON.stringify([agent, directory]);
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const isFull = this.#groups.size >= MAX_GROUPS && directory !== OTHERS;
    if (isFull) return this.#groupOf(OTHERS, OTHERS);
    const made = new Group(agent, directory);
    this.#groups.set(key, made);
    return made;
  }
}

/** What a person was asked about and hasn't ended isn't in the history, and was asked all the same. */
function withOpen(ended: readonly ActivityGroup[], sql: Statements): ActivityGroup[] {
  const SQL = `SELECT p.cwd, p.decided, coalesce(s.agent_name, '') AS agent_name FROM proposal p LEFT JOIN session s ON s.id = p.session_id
    WHERE p.state <> 'ended' AND p.approval_id IS NOT NULL`;
  const groups = [...ended];
  for (const row of sql.each(SQL)) {
    const decided = readDecided(row.decided);
    const agent = decided?.agent ?? String(row.agent_name);
    const cwd = String(row.cwd);
    const isFull = groups.length >= MAX_GROUPS;
    let at = groups.findIndex((group) => group.agent === agent && holds(group.directory, decided, cwd));
    if (at < 0 && isFull) at = groups.findIndex(({ directory }) => directory === OTHERS);
    if (at < 0) {
      const made = isFull ? new Group(OTHERS, OTHERS) : new Group(agent, decided?.repository ?? cwd);
      at = groups.push(made.told) - 1;
    }
    const group = groups[at] as ActivityGroup;
    groups[at] = { ...group, asked: group.asked + 1 };
  }
  return groups;
}

/** Before it is decided, which repository it is in isn't on record. */
function holds(directory: string, decided: ReturnType<typeof readDecided>, cwd: string): boolean {
  if (decided !== undefined) return directory === (decided.repository ?? cwd);
  return cwd === directory || cwd.startsWith(`${directory}/`);
}

interface Facts {
  readonly asked: boolean;
  readonly waitedMs: number;
  readonly hosts: readonly string[];
  readonly outside: readonly string[];
}

class Group {
  readonly #of: Pick<ActivityGroup, "agent" | "directory">;
  readonly #counts = { ran: 0, failed: 0, asked: 0, denied: 0, expired: 0, cancelled: 0, waitedMs: 0 };
  readonly #hosts = new Names();
  readonly #outside = new Names();

  constructor(agent: string, directory: string) {
    this.#of = { agent, directory };
  }

  add(result: string, { asked, waitedMs, hosts, outside }: Facts): void {
    const counts = this.#counts;
    if (RAN_RESULTS.has(result)) {
      counts.ran += 1;
      for (const host of hosts) this.#hosts.add(host);
      for (const path of outside) this.#outside.add(path);
    }
    if ((RAN_RESULTS.has(result) && result !== "succeeded") || NOT_STARTED.has(result)) counts.failed += 1;
    if (result === "denied" || result === "expired" || result === "cancelled") counts[result] += 1;
    if (asked) counts.asked += 1;
    counts.waitedMs += waitedMs;
  }

  get told(): ActivityGroup {
    return { ...this.#of, ...this.#counts, hosts: this.#hosts.told, outside: this.#outside.told };
  }
}

/** The first so many distinct ones, and how often any others came. */
class Names {
  readonly #names = new Set<string>();
  #others = 0;

  add(name: string): void {
    if (this.#names.has(name)) return;
    if (this.#names.size < MAX_NAMES) this.#names.add(name);
    else this.#others += 1;
  }

  get told(): Told {
    return { names: [...this.#names], count: this.#names.size + this.#others };
  }
}

/** A place behind which all are that ended since then. Within blocks times are known; before the first such block all are older. Blocks that begin at `least` or before aren't looked at. */
function placeBefore(sql: Statements, fromMs: number, least: number): number {
  const blocks = "SELECT to_ms, last FROM history_block WHERE first > ? ORDER BY first DESC";
  for (const row of sql.each(blocks, least)) {
    if (Number(row.to_ms) < fromMs) return Number(row.last);
  }
  return 0;
}

function byRan(one: ActivityGroup, other: ActivityGroup): number {
  return other.ran + other.asked - (one.ran + one.asked) || (one.agent < other.agent ? -1 : 1);
}
