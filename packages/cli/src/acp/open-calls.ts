import { isObject } from "../proxies/index.ts";

type Params = Readonly<Record<string, unknown>>;

/** What was allowed and isn't over. */
interface OpenCall {
  readonly sessionId: string;
  readonly callId: string;
  /** Of a permission: the command that it was for, as the agent gave it, and where; used up by the terminal that runs it. */
  asked?: { readonly command: unknown; readonly cwd: unknown } | undefined;
  terminalId?: string;
}

/** How something ended, in the hub's words for it. */
export type CallEnd = Readonly<Record<"exitCode" | "output" | "failed" | "aborted" | "rejected", unknown>>;

const MAX_OPEN = 1_000;

/** What waits for its end to be told. Past the limit the oldest is left to the hub, which doesn't wait for ever. */
export class OpenCalls {
  readonly #open: OpenCall[] = [];

  add(call: OpenCall): OpenCall {
    if (this.#open.length >= MAX_OPEN) this.#open.shift();
    this.#open.push(call);
    return call;
  }

  find(sessionId: string, callId: unknown): OpenCall | undefined {
    return this.#open.find((call) => call.sessionId === sessionId && call.callId === callId);
  }

  atTerminal(sessionId: string, terminalId: unknown): OpenCall | undefined {
    return this.#open.find((call) => call.sessionId === sessionId && call.terminalId === terminalId);
  }

  /** The permission that was given for what this terminal is to run; it counts for one. */
  takeFor(sessionId: string, params: Params, sessionCwd: string | undefined): OpenCall | undefined {
    const found = this.#open.find((call) => call.sessionId === sessionId && isFor(call, params, sessionCwd));
    if (found) found.asked = undefined;
    return found;
  }

  close(call: OpenCall): void {
    const at = this.#open.indexOf(call);
    if (at >= 0) this.#open.splice(at, 1);
  }
}

/** The same words in the same place, and no environment that nobody was asked about. */
function isFor({ asked }: OpenCall, params: Params, sessionCwd: string | undefined): boolean {
  if (asked === undefined) return false;
  const { command, args, env, cwd } = params;
  const words = args ?? [];
  if (!Array.isArray(words) || JSON.stringify(env ?? []) !== "[]") return false;
  if ((cwd ?? sessionCwd) !== (asked.cwd ?? sessionCwd)) return false;
  if (Array.isArray(asked.command)) return JSON.stringify(asked.command) === JSON.stringify([command, ...words]);
  return words.length === 0 && typeof command === "string" && asked.command === command;
}

/** The command that a permission is asked for, where the agent says it. */
export function askedCommand({ rawInput }: Params): OpenCall["asked"] {
  if (!isObject(rawInput) || rawInput.command === undefined) return undefined;
  return { command: rawInput.command, cwd: rawInput.cwd };
}
