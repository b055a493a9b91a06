import { idKey, isObject, type Message } from "../proxies/index.ts";

const MAX_SESSIONS = 1_000;
const MAX_CALLS = 4_000;
/** They say where a session works; the answer to some has its id. */
const OPENERS = new Set(["session/new", "session/load", "session/resume", "session/fork"]);

/** What has been told so far, by either side, about sessions and uses of tools. What is forgotten is only known less well. */
export class Sessions {
  readonly #opening = new Map<string, string>();
  readonly #cwds = new Map<string, string>();
  readonly #calls = new Map<string, Readonly<Record<string, unknown>>>();

  cwdOf(sessionId: string): string | undefined {
    return this.#cwds.get(sessionId);
  }

  /** A request of the client's. */
  heardRequest({ id, method, params }: Message): void {
    const key = idKey(id);
    if (!OPENERS.has(String(method)) || !isObject(params) || typeof params.cwd !== "string") return;
    if (typeof params.sessionId === "string" && method !== "session/fork") this.#open(params.sessionId, params.cwd);
    else if (key !== undefined) remember(this.#opening, key, params.cwd, MAX_SESSIONS);
  }

  /** An answer of the agent's. */
  heardAnswer({ id, result }: Message): void {
    const key = idKey(id);
    const cwd = key === undefined ? undefined : this.#opening.get(key);
    if (key === undefined || cwd === undefined) return;
    this.#opening.delete(key);
    if (isObject(result) && typeof result.sessionId === "string") this.#open(result.sessionId, cwd);
  }

  #open(sessionId: string, cwd: string): void {
    remember(this.#cwds, sessionId, cwd, MAX_SESSIONS);
  }

  /** Agents tell of a use of a tool bit by bit: what is said later counts over what was said before. */
  heardCall(sessionId: string, call: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const key = JSON.stringify([sessionId, call.toolCallId]);
    const said = Object.fromEntries(Object.entries(call).filter(([, value]) => value !== null && value !== undefined));
    const whole = { ...this.#calls.get(key), ...said };
    remember(this.#calls, key, whole, MAX_CALLS);
    return whole;
  }
}

function remember<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  map.delete(key);
  const oldest = map.keys().next();
  if (map.size >= max && !oldest.done) map.delete(oldest.value);
  map.set(key, value);
}
