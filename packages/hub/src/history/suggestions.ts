import type { Clock } from "@countersign/core/base";
import type { Home } from "@countersign/core/config";
import { stampOf } from "@countersign/core/host";
import { AskedThread } from "@countersign/core/worker";
import type { SuggestionView } from "@countersign/protocol/policy";
import type { Store } from "@countersign/store";
import { profileIds, profilePath } from "../policies/index.ts";
import type { Suggested, SuggestOrder } from "./suggest-worker.ts";

/** So long an answer is good for whoever asks next: it takes a month of the past to make one. */
const KEPT_MS = 60_000;
const DAY_MS = 86_400_000;

interface Rooms {
  readonly clock: Clock;
  readonly home: Home;
  readonly store: Pick<Store, "askedCount">;
}

interface Kept {
  readonly atMs: number;
  readonly key: string;
  readonly suggested: Promise<readonly SuggestionView[]>;
}

/** What the past suggests, found out on a thread of its own, which reads the home as the command line does: it holds up nothing. */
export class Suggestions {
  readonly #rooms: Rooms;
  readonly #thread = new AskedThread<SuggestOrder, readonly Suggested[]>(
    new URL("./suggest-worker.ts", import.meta.url),
  );
  /** Of one question; another takes its place. */
  #kept: Kept | undefined;
  /** Each reads the past of many days: one at a time, and who asks meanwhile waits for it. */
  #underWay: Promise<void> | undefined;

  constructor(rooms: Rooms) {
    this.#rooms = rooms;
  }

  async of(days: number): Promise<readonly SuggestionView[]> {
    const { clock, home, store } = this.#rooms;
    const nowMs = clock.wallMs();
    const sinceMs = nowMs - days * DAY_MS;
    // An edit of a profile writes its file: what was suggested may be done. And each answer may make a habit.
    const stamps = profileIds(home.profiles).map((id) => stampOf(profilePath(home.profiles, id)));
    const key = JSON.stringify([days, stamps, await store.askedCount(sinceMs)]);
    if (this.#kept?.key === key && nowMs - this.#kept.atMs < KEPT_MS) return await this.#kept.suggested;
    if (this.#underWay) {
      await this.#underWay;
      return await this.of(days);
    }
    const asked = this.#thread.ask({ homeDir: home.dir, wish: { sinceMs, nowMs } });
    const over = () => {
      this.#underWay = undefined;
    };
    this.#underWay = asked.then(over, over);
    const kept = { atMs: nowMs, key, suggested: asked.then((found) => found.map(viewSuggestion)) };
    this.#kept = kept;
    kept.suggested.catch(() => {
      if (this.#kept === kept) this.#kept = undefined;
    });
    return await kept.suggested;
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}

function viewSuggestion(suggestion: Suggested): SuggestionView {
  if (suggestion.kind === "remove") {
    const { instead, ...rest } = suggestion;
    const change = { action: "remove", entry: suggestion.id } as const;
    return { ...rest, ...(instead ? { instead: [...instead] } : {}), change };
  }
  const { entries, ...rest } = suggestion;
  return { ...rest, change: { action: "allow", entries: [...entries] } };
}
