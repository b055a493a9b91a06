import { request } from "node:http";
import type { Outcome } from "@countersign/protocol/proposals";
import type { Log } from "../errors/index.ts";
import type { OpenTerminals } from "../proxy/record/index.ts";
import { ACCESS_TOKEN } from "../wire/index.ts";

interface Granted {
  readonly over: NodeJS.Timeout;
  readonly token: string | undefined;
  readonly tell: (outcome: Outcome) => void;
  /** Nobody may attach any more. */
  isOver: boolean;
  isReported: boolean;
}

export interface TerminalOptions {
  readonly execd: URL;
  readonly log: Log;
  /** How long execd has to end a terminal whose time is over before its sockets are cut. */
  readonly cutMs?: number | undefined;
}

/** How often execd is asked to end a terminal whose time is over, and how far apart. */
const CLOSE_TRIES = 5;
const BETWEEN_TRIES_MS = 1_000;
const CLOSE_MS = 5_000;
const CUT_MS = 1_000;

/** Terminals that a person gave, each until its time is over or its shell ends. Others can't be attached to. */
export class GrantedTerminals {
  readonly #options: TerminalOptions;
  readonly #granted = new Map<string, Granted>();
  #terminals: OpenTerminals | undefined;

  constructor(options: TerminalOptions) {
    this.#options = options;
  }

  /** Where they pass. */
  bind(terminals: OpenTerminals): void {
    this.#terminals = terminals;
  }

  grant(id: string, { ms, token, tell }: { readonly ms: number } & Pick<Granted, "token" | "tell">): void {
    const over = setTimeout(() => void this.#timeIsOver(id), ms).unref();
    this.#granted.set(id, { over, token, tell, isOver: false, isReported: false });
  }

  isGranted(id: string): boolean {
    return this.#granted.get(id)?.isOver === false;
  }

  /** Its shell has ended. execd starts another one for who comes next, and somebody may be on the way: so the terminal itself still goes when its time is over. */
  exited(id: string, exitCode: number): void {
    this.#over(id, { kind: "exited", exitCode });
  }

  /** Somebody closed it: it is gone at execd. */
  closed(id: string, reason: string): void {
    this.#over(id, { kind: "aborted", reason });
    this.#forget(id);
  }

  /** Nobody keeps their time any more, so none goes on. */
  async close(): Promise<void> {
    await Promise.all(
      [...this.#granted].map(async ([id, granted]) => {
        granted.isOver = true;
        await this.#end(id, granted, 1);
        report(granted, { kind: "aborted", reason: "The gate ended, and closed the terminal" });
        this.#forget(id);
      }),
    );
  }

  async #timeIsOver(id: string): Promise<void> {
    const granted = this.#granted.get(id);
    if (granted === undefined) return;
    granted.isOver = true;
    const closed = await this.#end(id, granted, CLOSE_TRIES);
    const reason = closed ? "Its time was over, and it was closed" : "Its time was over, and execd didn't close it";
    report(granted, { kind: "timed-out", reason });
    this.#forget(id);
  }

  /** Whether execd says that it is gone. Whatever execd says, soon nothing passes any more. */
  async #end(id: string, { token }: Granted, tries: number): Promise<boolean> {
    const cut = setTimeout(() => this.#terminals?.cut(id), this.#options.cutMs ?? CUT_MS).unref();
    const isGone = await this.#closeAtExecd(id, token, tries);
    if (isGone) this.#terminals?.closed(id);
    else {
      clearTimeout(cut);
      this.#terminals?.cut(id);
    }
    return isGone;
  }

  #over(id: string, outcome: Outcome): void {
    const granted = this.#granted.get(id);
    if (granted === undefined) return;
    granted.isOver = true;
    report(granted, outcome);
  }

  #forget(id: string): void {
    clearTimeout(this.#granted.get(id)?.over);
    this.#granted.delete(id);
  }

  async #closeAtExecd(id: string, token: string | undefined, most: number): Promise<boolean> {
    for (let tries = 1; tries <= most; tries += 1) {
      const status = await this.#delete(id, token);
      // 404: it is gone already.
      if (status !== null && (status < 300 || status === 404)) return true;
      // The gate ended meanwhile, and has tried it once more.
      if (!this.#granted.has(id)) return false;
      if (tries < most) await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
    }
    this.#options.log.error({ pty: id }, "a terminal whose time is over could not be closed at execd");
    return false;
  }

  #delete(id: string, token: string | undefined): Promise<number | null> {
    const { promise, resolve } = Promise.withResolvers<number | null>();
    const call = request(new URL(`/pty/${encodeURIComponent(id)}`, this.#options.execd), {
      method: "DELETE",
      headers: token === undefined ? {} : { [ACCESS_TOKEN]: token },
      signal: AbortSignal.timeout(CLOSE_MS),
    });
    call.on("response", (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? null);
    });
    call.on("error", () => resolve(null));
    call.end();
    return promise;
  }
}

/** Once: the first to know. */
function report(granted: Granted, outcome: Outcome): void {
  if (granted.isReported) return;
  granted.isReported = true;
  granted.tell(outcome);
}
