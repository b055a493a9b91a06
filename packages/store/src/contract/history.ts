/** What is looked for among the proposals that have ended. What isn't said holds for all. */
export interface HistoryWish {
  /** Each must stand somewhere in the command, in any case of its letters. */
  readonly words?: readonly string[] | undefined;
  readonly agents?: readonly string[] | undefined;
  readonly sessions?: readonly string[] | undefined;
  readonly by?: readonly string[] | undefined;
  readonly risks?: readonly string[] | undefined;
  /** `succeeded` and `failed` are the two ways to exit; else the outcome's kind. */
  readonly results?: readonly string[] | undefined;
  /** Run in it, or below it. */
  readonly directory?: string | undefined;
  /** Ended from then on, and before then. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Places: only older ones, only newer ones. */
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly limit: number;
}

/** A proposal that has ended. Texts are redacted. */
export interface HistoryRow {
  /** Its number, in the order in which they ended. */
  readonly place: number;
  readonly key: string;
  readonly sessionId: string;
  readonly agent: string;
  /** Its beginning, where it is long. */
  readonly command: string;
  readonly commandLength: number;
  readonly cwd: string;
  readonly repository: string | null;
  readonly createdAtMs: number;
  readonly endedAtMs: number;
  readonly result: string;
  readonly exitCode: number | null;
  readonly reason: string | null;
  readonly by: string | null;
  readonly person: string | null;
  readonly risk: string | null;
  readonly asked: boolean;
}

export interface HistoryPage {
  /** Newest first. */
  readonly rows: readonly HistoryRow[];
  /** There may be older ones: go on before this place. A page can be short, or empty, and still not be the last. */
  readonly next: number | null;
  /** The newest place of all. */
  readonly newest: number;
}

/** What one agent did in one repository, or outside of any in one directory. */
export interface ActivityGroup {
  readonly agent: string;
  readonly directory: string;
  readonly ran: number;
  /** Of those that ran, and of those that were to: all but exit code 0. */
  readonly failed: number;
  readonly asked: number;
  readonly denied: number;
  readonly expired: number;
  readonly cancelled: number;
  /** For answers of people. */
  readonly waitedMs: number;
  /** Of what ran: the first so many, and how many there are. */
  readonly hosts: Told;
  readonly outside: Told;
}

export interface Told {
  readonly names: readonly string[];
  readonly count: number;
}

export interface Activity {
  readonly groups: readonly ActivityGroup[];
  /** The newest place of all. */
  readonly newest: number;
  /** False: there was more than is counted at once; older ones are left out. */
  readonly isWhole: boolean;
}

/** Of a page. */
export const MAX_HISTORY_PAGE = 200;
