import { setTimeout } from "node:timers/promises";
import { CliError } from "../../base/index.ts";
import {
  CONNECTION_CLOSED,
  errorResponse,
  errorResult,
  hasTwinOf,
  INVALID_PARAMS,
  INVALID_REQUEST,
  type Incoming,
  idKey,
  isObject,
  lineOf,
  type Message,
  PARSE_ERROR,
  readMessage,
} from "../../proxies/index.ts";
import { GatedCall, type GateSetting } from "./gated-call.ts";
import { KnownTools } from "./known-tools.ts";
import { listTools } from "./list-tools.ts";
import { OwnRequests } from "./own-requests.ts";
import { WaitingNotes } from "./waiting-notes.ts";

export interface McpProxyOptions extends GateSetting {
  /** Each takes one line without its end, and resolves when there is room for more. */
  toServer(text: string): Promise<void>;
  toClient(line: string | Uint8Array): Promise<void>;
  warn(sentence: string): void;
}

interface Held {
  readonly id: unknown;
  readonly gated: GatedCall;
  /** At the gate; with the server, whose answer ends it; or withdrawn. */
  stage: "gate" | "server" | "withdrawn";
}

const MAX_CALLS = 256;
const MAX_ASKED = 1_024;
const LAST_REPORTS_MS = 2_000;
const TOP = ["jsonrpc", "id", "method", "params", "result", "error"];

/**
 * Stands between an MCP client and a server. Everything passes, in both directions; only a call of a tool has to be
 * permitted first. What can't be read here never reaches the server: it might read it as such a call.
 */
export class McpProxy {
  readonly #options: McpProxyOptions;
  readonly #own: OwnRequests;
  readonly #known = new KnownTools();
  readonly #calls = new Map<string, Held>();
  /** All else that the client waits for an answer to: its method by its id. */
  readonly #asked = new Map<string, string>();
  readonly #reports = new Set<Promise<void>>();
  #listing: Promise<void> | undefined;

  constructor(options: McpProxyOptions) {
    this.#options = options;
    this.#own = new OwnRequests((text) => options.toServer(text));
  }

  async fromClient(line: Uint8Array): Promise<void> {
    const { toClient, toServer } = this.#options;
    if (isBlank(line)) return;
    const incoming = readMessage(line);
    if (!incoming) return await toClient(errorResponse(null, PARSE_ERROR, "Parse error: not JSON in UTF-8"));
    if (Array.isArray(incoming.value)) return await this.#fromBatch(incoming);
    if (await this.#passes(incoming)) await toServer(lineOf(incoming.exact));
  }

  /** Written anew like the client's: a list or an answer that only the client can read would be one that nobody here has seen. */
  async fromServer(line: Uint8Array): Promise<void> {
    const { toClient, warn } = this.#options;
    if (isBlank(line)) return;
    const incoming = readMessage(line);
    if (!incoming) return warn("the MCP server wrote a line that isn't JSON in UTF-8; it isn't passed on");
    const { value, exact } = incoming;
    if (!Array.isArray(value)) {
      if (this.#hears(value)) await toClient(lineOf(exact));
      return;
    }
    const kept = (exact as unknown[]).filter((_, at) => this.#hears(value[at]));
    if (kept.length === value.length) return await toClient(lineOf(kept));
    for (const message of kept) await toClient(lineOf(message));
  }

  /** Nobody is there any more who could use an answer, or give one. */
  async end(reason: string): Promise<void> {
    this.#own.close();
    for (const held of this.#calls.values()) {
      held.stage = "withdrawn";
      this.#report(held.gated.abort(reason));
    }
    this.#calls.clear();
    // A hub that hangs must not keep us.
    await Promise.race([Promise.allSettled(this.#reports), setTimeout(LAST_REPORTS_MS, undefined, { ref: false })]);
  }

  /** The server is gone: whoever waits for a tool is told so. */
  async serverEnded(reason: string): Promise<void> {
    const held = [...this.#calls.values()];
    await this.end(reason);
    for (const { id } of held) await this.#options.toClient(errorResponse(id, CONNECTION_CLOSED, reason));
  }

  /** Calls are taken out of a batch, since each has its own time; their answers then come one by one. */
  async #fromBatch({ value, exact, inexact }: Incoming): Promise<void> {
    const messages = (value as unknown[]).map((one, at) => ({ value: one, exact: (exact as unknown[])[at], inexact }));
    const rest: unknown[] = [];
    for (const message of messages) if (await this.#passes(message)) rest.push(message.exact);
    if (rest.length > 0 || messages.length === 0) await this.#options.toServer(lineOf(rest));
  }

  /** Whether a message of the client's goes on to the server as it is. */
  async #passes(incoming: Incoming): Promise<boolean> {
    const { toClient } = this.#options;
    const { value: message } = incoming;
    const fault = faultOf(message);
    if (!isObject(message) || fault !== undefined) {
      await toClient(
        errorResponse(isObject(message) ? message.id : null, INVALID_REQUEST, `Invalid request: ${fault}`),
      );
      return false;
    }
    const { method } = message;
    const key = idKey(message.id);
    if (method === "tools/call") {
      if (key !== undefined) this.#take(incoming, key);
      // Without an id there would be no answer, and so no way to say no.
      else if ("id" in message) await toClient(errorResponse(null, INVALID_REQUEST, "Invalid request: its id is none"));
      return false;
    }
    if (method === "notifications/cancelled") return this.#cancelled(message);
    if (method === undefined || key === undefined) return true;
    const refusal = this.#refusesId(key);
    if (refusal === undefined) this.#asked.set(key, String(method));
    else await toClient(errorResponse(message.id, INVALID_REQUEST, refusal));
    return refusal === undefined;
  }

  /** Two questions of one id would make the answer to one stand on record for the other. */
  #refusesId(key: string): string | undefined {
    if (this.#calls.has(key) || this.#asked.has(key)) return "Invalid request: this id is in use";
    return this.#asked.size < MAX_ASKED ? undefined : `${MAX_ASKED} requests are under way; wait for one of them`;
  }

  /** Not waited for: a person may take minutes, and everything else goes on. */
  #take(incoming: Incoming, key: string): void {
    const { toClient, warn } = this.#options;
    const answered = this.#call(incoming, key).catch((cause: unknown) => {
      this.#calls.delete(key);
      warn(`a tool call failed: ${cause instanceof Error ? cause.message : String(cause)}`);
      return toClient(errorResult((incoming.value as Message).id, "Countersign failed, so the tool wasn't called."));
    });
    this.#report(answered);
  }

  async #call({ value, exact, inexact }: Incoming, key: string): Promise<void> {
    const { toClient, toServer } = this.#options;
    const message = value as Message;
    const { id } = message;
    const refusal = this.#refuses(message, key, inexact);
    if (refusal !== undefined) return await toClient(refusal);
    const { name, arguments: given = {}, _meta } = message.params as Call;
    const held: Held = { id, gated: new GatedCall(this.#options), stage: "gate" };
    this.#calls.set(key, held);
    const notes = new WaitingNotes(_meta?.progressToken, toClient);
    const words = await this.#ask(held, { tool: name, arguments: given }, notes).finally(() => notes.end());
    if (this.#isWithdrawn(held)) return;
    if (words !== undefined) {
      this.#calls.delete(key);
      return await toClient(errorResult(id, words));
    }
    held.stage = "server";
    await toServer(lineOf(exact));
  }

  #isWithdrawn({ stage }: Held): boolean {
    return stage === "withdrawn";
  }

  /** What is wrong with a call before anybody is asked about it, as the response to it. */
  #refuses({ id, params }: Message, key: string, inexact: boolean): string | undefined {
    const used = this.#refusesId(key);
    if (used !== undefined) return errorResponse(id, INVALID_REQUEST, used);
    if (this.#calls.size >= MAX_CALLS)
      return errorResult(id, `${MAX_CALLS} calls are under way; wait for one of them.`);
    if (!isObject(params) || typeof params.name !== "string" || !isObject(params.arguments ?? {}))
      return errorResponse(
        id,
        INVALID_PARAMS,
        "Invalid params: a name and, at most, an object of arguments are needed",
      );
    if (hasTwinOf(["name", "arguments", "task"], params))
      return errorResponse(id, INVALID_PARAMS, "Invalid params: its keys can be read in two ways");
    if (inexact)
      return errorResult(
        id,
        "It holds a number that can't be shown exactly, so nobody could decide about it. Send it as text.",
      );
    return undefined;
  }

  /** Undefined once it is permitted, else what the agent is told. */
  async #ask(
    held: Held,
    call: { tool: string; arguments: Call["arguments"] & object },
    notes: WaitingNotes,
  ): Promise<string | undefined> {
    try {
      await this.#list();
    } catch (cause) {
      return `The tool wasn't called: the MCP server didn't list its tools (${cause instanceof Error ? cause.message : ""}).`;
    }
    const seen = this.#known.versions(call.tool);
    if (!seen)
      return `The tool wasn't called: the MCP server lists none named ${JSON.stringify(call.tool.slice(0, 64))}.`;
    try {
      const answer = await held.gated.ask({ ...call, seen }, this.#known, () => notes.begin());
      return answer.permitted ? undefined : answer.words;
    } catch (cause) {
      if (!(cause instanceof CliError)) throw cause;
      return `The tool wasn't called, since it couldn't be decided about: ${cause.message}`;
    }
  }

  async #list(): Promise<void> {
    if (!this.#known.stale) return;
    this.#listing ??= listTools(this.#own, this.#known).finally(() => {
      this.#listing = undefined;
    });
    await this.#listing;
  }

  /** Before it was permitted nobody but us has heard of the call, so nobody else has to be told. */
  #cancelled({ params }: Message): boolean {
    const key = isObject(params) ? idKey(params.requestId) : undefined;
    if (key !== undefined) this.#asked.delete(key);
    const held = key === undefined ? undefined : this.#calls.get(key);
    if (key === undefined || !held) return true;
    const forwarded = held.stage === "server";
    held.stage = "withdrawn";
    this.#calls.delete(key);
    this.#report(held.gated.abort("The client cancelled it"));
    return forwarded;
  }

  /** Whether the client is to hear it too. An answer it hears only where it waits for one: others may read an id in another way. */
  #hears(message: unknown): boolean {
    if (faultOf(message) !== undefined || !isObject(message)) {
      this.#options.warn("the MCP server sent what can be read in two ways; it isn't passed on");
      return false;
    }
    if (message.method === "notifications/tools/list_changed") this.#known.stale = true;
    if (message.method !== undefined) return true;
    if (this.#own.take(message)) return false;
    const key = idKey(message.id);
    if (key === undefined) return true;
    const method = this.#asked.get(key);
    if (method !== undefined) {
      this.#asked.delete(key);
      if (method === "tools/list") this.#seeList(message.result);
      return true;
    }
    const held = this.#calls.get(key);
    // Before it was permitted nobody has asked the server.
    if (held?.stage !== "server") return false;
    this.#calls.delete(key);
    this.#report(held.gated.report(message));
    return true;
  }

  #seeList(result: unknown): void {
    if (isObject(result) && Array.isArray(result.tools)) for (const tool of result.tools) this.#known.see(tool);
  }

  #report(reported: Promise<void>): void {
    const kept = reported
      .catch((cause: unknown) =>
        this.#options.warn(`how a tool ended isn't on record: ${cause instanceof Error ? cause.message : ""}`),
      )
      .finally(() => this.#reports.delete(kept));
    this.#reports.add(kept);
  }
}

/** Why a message could be another one to another reader. */
function faultOf(message: unknown): string | undefined {
  if (!isObject(message)) return "it isn't an object";
  if (hasTwinOf(TOP, message)) return "its keys can be read in two ways";
  const { method } = message;
  if (method === undefined) return undefined;
  if (typeof method !== "string") return "its method isn't text";
  if ("result" in message || "error" in message) return "it asks and answers at once";
  const plain = method
    .normalize("NFKC")
    .replace(/[\p{Cc}\p{Cf}\s]/gu, "")
    .toLowerCase();
  return plain === "tools/call" && method !== plain ? "its method can be read in two ways" : undefined;
}

interface Call {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly _meta?: { readonly progressToken?: unknown };
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}
