import type { OwnCalls } from "./own-calls.ts";

/** An agent's upload waits so long at most for what is asked about its paths. */
const WAIT_MS = 1000;
const MOST_LOOKS = 1000;

/** Which of the paths of an upload were there before it: the proxy asks execd, before execd has the end of the upload. */
export class KnownFiles {
  readonly #calls: OwnCalls;
  readonly #filesAt: string;
  readonly #token: string | undefined;
  readonly #isThere = new Map<string, boolean | null>();
  readonly #looks: Promise<void>[] = [];

  constructor(calls: OwnCalls, filesAt: string, token: string | undefined) {
    this.#calls = calls;
    this.#filesAt = filesAt;
    this.#token = token;
  }

  look(path: string): void {
    if (this.#isThere.has(path) || this.#isThere.size >= MOST_LOOKS) return;
    this.#isThere.set(path, null);
    this.#looks.push(this.#ask(path));
  }

  get isLooking(): boolean {
    return this.#looks.length > 0;
  }

  /** When all is known, or the time is over. */
  async settled(): Promise<void> {
    await Promise.all(this.#looks);
  }

  /** A change, unless it is known that there was nothing: that is the graver of the two. */
  actionType(path: string): "filesystem.file.create" | "filesystem.file.modify" {
    return this.#isThere.get(path) === false ? "filesystem.file.create" : "filesystem.file.modify";
  }

  async #ask(path: string): Promise<void> {
    const answer = await this.#calls.get(
      `${this.#filesAt}/info?path=${encodeURIComponent(path)}`,
      this.#token,
      WAIT_MS,
    );
    if (answer?.status === 200) this.#isThere.set(path, true);
    if (answer?.status === 404) this.#isThere.set(path, false);
  }
}
