import { setTimeout } from "node:timers/promises";
import type { OwnCalls } from "./own-calls.ts";

export interface Followed {
  /** Where execd says how it stands. */
  readonly statusAt: string;
  readonly token: string | undefined;
}

export type FollowedEnd = { readonly exitCode: number } | { readonly error: string };

const MOST_FOLLOWED = 4096;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2000;
const ANSWER_WITHIN_MS = 5000;
/** So often in a row may execd not answer: about a minute. */
const MOST_SILENCES = 30;

/** Asks execd how commands ended whose end no stream tells: in the background, or with an agent that is gone. */
export class FollowCommands {
  readonly #calls: Pick<OwnCalls, "get">;
  readonly #stop: AbortController;
  readonly #following = new Set<Promise<void>>();

  constructor(calls: Pick<OwnCalls, "get">, stop = new AbortController()) {
    this.#calls = calls;
    this.#stop = stop;
  }

  get size(): number {
    return this.#following.size;
  }

  follow(command: Followed, onEnd: (end: FollowedEnd) => void): void {
    if (this.#following.size >= MOST_FOLLOWED) return onEnd({ error: "too many commands are followed already" });
    const following = this.#watch(command).then(onEnd);
    this.#following.add(following);
    void following.finally(() => this.#following.delete(following));
  }

  /** Each is asked for once more, and told as it stands. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#following);
  }

  async #watch(command: Followed): Promise<FollowedEnd> {
    let waitMs = FIRST_WAIT_MS;
    let silences = 0;
    for (;;) {
      const isLast = this.#stop.signal.aborted;
      const answer = await this.#ask(command);
      const end = endOf(answer);
      if (end) return end;
      silences = answer === null ? silences + 1 : 0;
      if (silences > MOST_SILENCES) return { error: "execd doesn't say how it ended" };
      if (isLast) return { error: "it still ran when the proxy ended" };
      await this.#sleep(waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }

  #ask({ statusAt, token }: Followed) {
    return this.#calls.get(statusAt, token, ANSWER_WITHIN_MS);
  }

  /** Or until it is closed. */
  async #sleep(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}

function endOf(answer: { readonly status: number; readonly json: unknown } | null): FollowedEnd | null {
  if (answer === null || answer.status >= 500) return null;
  if (answer.status >= 300) return { error: `execd answers ${answer.status} when asked how it ended` };
  const { running, exit_code } = (answer.json ?? {}) as { readonly running?: unknown; readonly exit_code?: unknown };
  if (running === true) return null;
  return Number.isSafeInteger(exit_code)
    ? { exitCode: exit_code as number }
    : { error: "execd doesn't say how it ended" };
}
