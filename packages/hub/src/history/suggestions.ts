import type { Clock } from "@countersign/core/base";
import type { Home } from "@countersign/core/config";
import { stampOf } from "@countersign/core/host";
import { AskedThread } from "@countersign/core/worker";
import type { SuggestionView } from "@countersign/protocol/policy";
import type { Store } from "@countersign/store";
import { profileIds, profilePath } from "../policies/index.ts";
import type { Suggested, SuggestOrder } from "./suggest-worker.ts";

/** How long an answer is reused: making one takes reading a month of history. */
const KEPT_MS = 60_000;
const DAY_MS = 86_400_000;

interface SuggestionsOptions {
  readonly clock: Clock;
  readonly home: Home;
  readonly store: Store;
}

interface Kept {
  readonly atMs: number;
  readonly key: string;
  readonly suggested: Promise<readonly SuggestionView[]>;
}

/**
 * Suggests policy changes from the history. Runs on a thread of its own, which opens the data directory as the CLI
 * does, so that it blocks nothing.
 */
export class Suggestions {
  readonly #clock: Clock;
  readonly #home: Home;
  readonly #store: Store;
  readonly #thread = new AskedThread<SuggestOrder, readonly Suggested[]>(
    new URL("./suggest-worker.ts", import.meta.url),
  );
  /** The last answer; a different question replaces it. */
  #kept: Kept | undefined;
  /** The search in progress. There is one at a time, because each reads many days; others wait for it. */
  #underWay: Promise<void> | undefined;

  constructor({ clock, home, store }: SuggestionsOptions) {
    this.#clock = clock;
    this.#home = home;
    this.#store = store;
  }

  async of(days: number): Promise<readonly SuggestionView[]> {
    const nowMs = this.#clock.wallMs();
    const sinceMs = nowMs - days * DAY_MS;
    // Both can change the suggestions: an edit of a profile writes its file, and each answer can make a habit.
    const stamps = profileIds(this.#home.profiles).map((id) => stampOf(profilePath(this.#home.profiles, id)));
    const key = JSON.stringify([days, stamps, await this.#store.askedCount(sinceMs)]);
    if (this.#kept?.key === key && nowMs - this.#kept.atMs < KEPT_MS) return await this.#kept.suggested;
    if (this.#underWay) {
      await this.#underWay;
      return await this.of(days);
    }
    const asked = this.#thread.ask({ homeDir: this.#home.dir, wish: { sinceMs, nowMs } });
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
