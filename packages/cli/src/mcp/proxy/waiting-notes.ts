/** So small that whatever number the server begins with is a higher one. */
const STEP = 1e-6;
const EVERY_MS = 5_000;
const MESSAGE = "Waiting for a person to allow this call (Countersign)";

/** Tells a client that wants to know that somebody is asked; many give up on what says nothing for a minute. */
export class WaitingNotes {
  readonly #token: unknown;
  readonly #toClient: (line: string) => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(token: unknown, toClient: (line: string) => Promise<void>) {
    this.#token = token;
    this.#toClient = toClient;
  }

  begin(): void {
    if (this.#timer || (typeof this.#token !== "string" && typeof this.#token !== "number")) return;
    this.#timer = setInterval(() => this.#tell(), EVERY_MS);
    this.#timer.unref();
    this.#tell();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #tell(): void {
    this.#count += 1;
    const params = { progressToken: this.#token, progress: this.#count * STEP, message: MESSAGE };
    // A client that is gone is noticed where its input ends.
    this.#toClient(JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params })).catch(() => undefined);
  }
}
