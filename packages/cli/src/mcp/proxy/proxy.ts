import { setTimeout } from "node:timers/promises";
import { CliError } from "../../cli-error.ts";
import { GatedCall, type GateSetting } from "./gated-call.ts";
import { listTools } from "./list-tools.ts";
import {
  CONNECTION_CLOSED,
  errorResponse,
  errorResult,
  hasTwinOf,
  INVALID_PARAMS,
  INVALID_REQUEST,
  idKey,
  isObject,
  type Message,
  PARSE_ERROR,
} from "./message.ts";
import { OwnRequests } from "./own-requests.ts";
import { type Incoming, lineOf, readMessage } from "./read-message.ts";
import { ToolBook } from "./tool-book.ts";
import { WaitingNotes } from "./waiting-notes.ts";

export interface ProxyRooms extends GateSetting {
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
const MAX_LISTS = 1_024;
const LAST_REPORTS_MS = 2_000;
const TOP = ["jsonrpc", "id", "method", "params", "result", "error"];

/**
 * Stands between an MCP client and a server. Everything passes, in both directions; only a call of a tool has to be
 * permitted first. What can't be read here never reaches the server: it might read it as such a call.
 */
export class McpProxy {
  readonly #rooms: ProxyRooms;
  readonly #own: OwnRequests;
  readonly #book = new ToolBook();
  readonly #calls = new Map<string, Held>();
  /** Lists of tools that the client has asked for. */
  readonly #lists = new Set<string>();
  readonly #reports = new Set<Promise<void>>();
  #listing: Promise<void> | undefined;

  constructor(rooms: ProxyRooms) {
    this.#rooms = rooms;
    this.#own = new OwnRequests((text) => rooms.toServer(text));
  }

  async fromClient(line: Uint8Array): Promise<void> {
    const { toClient, toServer } = this.#rooms;
    if (isBlank(line)) return;
    const incoming = readMessage(line);
    if (!incoming) return await toClient(errorResponse(null, PARSE_ERROR, "Parse error: not JSON in UTF-8"));
    if (Array.isArray(incoming.value)) return await this.#fromBatch(incoming);
    if (await this.#passes(incoming)) await toServer(lineOf(incoming.exact));
  }

  async fromServer(line: Uint8Array): Promise<void> {
    const { value } = readMessage(line) ?? {};
    const messages = (Array.isArray(value) ? value : [value]).filter(isObject);
    const kept = messages.filter((message) => this.#hears(message));
    if (kept.length === messages.length) return await this.#rooms.toClient(line);
    for (const message of kept) await this.#rooms.toClient(JSON.stringify(message));
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
    for (const { id } of held) await this.#rooms.toClient(errorResponse(id, CONNECTION_CLOSED, reason));
  }

  /** Calls are taken out of a batch, since each has its own time; their answers then come one by one. */
  async #fromBatch({ value, exact, inexact }: Incoming): Promise<void> {
    const messages = (value as unknown[]).map((one, at) => ({ value: one, exact: (exact as unknown[])[at], inexact }));
    const rest: unknown[] = [];
    for (const message of messages) if (await this.#passes(message)) rest.push(message.exact);
    if (rest.length > 0 || messages.length === 0) await this.#rooms.toServer(lineOf(rest));
  }

  /** Whether a message of the client's goes on to the server as it is. */
  async #passes(incoming: Incoming): Promise<boolean> {
    const { toClient } = this.#rooms;
    const { value: message } = incoming;
    if (!isObject(message)) return true;
    if (hasTwinOf(TOP, message)) {
      await toClient(errorResponse(message.id, INVALID_REQUEST, "Invalid request: its keys can be read in two ways"));
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
    if (method === "tools/list" && key !== undefined && this.#lists.size < MAX_LISTS) this.#lists.add(key);
    if (method === "notifications/cancelled") return this.#cancelled(message);
    return true;
  }

  /** Not waited for: a person may take minutes, and everything else goes on. */
  #take(incoming: Incoming, key: string): void {
    const { toClient, warn } = this.#rooms;
    const answered = this.#call(incoming, key).catch((cause: unknown) => {
      this.#calls.delete(key);
      warn(`a tool call failed: ${cause instanceof Error ? cause.message : String(cause)}`);
      return toClient(errorResult((incoming.value as Message).id, "Countersign failed, so the tool wasn't called."));
    });
    this.#report(answered);
  }

  async #call({ value, exact, inexact }: Incoming, key: string): Promise<void> {
    const { toClient, toServer } = this.#rooms;
    const message = value as Message;
    const { id } = message;
    const refusal = this.#refuses(message, key, inexact);
    if (refusal !== undefined) return await toClient(refusal);
    const { name, arguments: given = {}, _meta } = message.params as Call;
    const held: Held = { id, gated: new GatedCall(this.#rooms), stage: "gate" };
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
    if (this.#calls.has(key)) return errorResponse(id, INVALID_REQUEST, "Invalid request: this id is in use");
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
    const seen = this.#book.versions(call.tool);
    if (!seen)
      return `The tool wasn't called: the MCP server lists none named ${JSON.stringify(call.tool.slice(0, 64))}.`;
    try {
      const answer = await held.gated.ask({ ...call, seen }, this.#book, () => notes.begin());
      return answer.permitted ? undefined : answer.words;
    } catch (cause) {
      if (!(cause instanceof CliError)) throw cause;
      return `The tool wasn't called, since it couldn't be decided about: ${cause.message}`;
    }
  }

  async #list(): Promise<void> {
    if (!this.#book.stale) return;
    this.#listing ??= listTools(this.#own, this.#book).finally(() => {
      this.#listing = undefined;
    });
    await this.#listing;
  }

  /** Before it was permitted nobody but us has heard of the call, so nobody else has to be told. */
  #cancelled({ params }: Message): boolean {
    const key = isObject(params) ? idKey(params.requestId) : undefined;
    const held = key === undefined ? undefined : this.#calls.get(key);
    if (key === undefined || !held) return true;
    const forwarded = held.stage === "server";
    held.stage = "withdrawn";
    this.#calls.delete(key);
    this.#report(held.gated.abort("The client cancelled it"));
    return forwarded;
  }

  /** Whether the client is to hear it too. */
  #hears(message: Message): boolean {
    if (message.method === "notifications/tools/list_changed") this.#book.stale = true;
    if (message.method !== undefined) return true;
    if (this.#own.take(message)) return false;
    const key = idKey(message.id);
    if (key === undefined) return true;
    if (this.#lists.delete(key)) this.#seeList(message.result);
    const held = this.#calls.get(key);
    if (!held) return true;
    // Nobody has asked the server yet.
    if (held.stage === "gate") return false;
    this.#calls.delete(key);
    this.#report(held.gated.report(message));
    return true;
  }

  #seeList(result: unknown): void {
    if (isObject(result) && Array.isArray(result.tools)) for (const tool of result.tools) this.#book.see(tool);
  }

  #report(reported: Promise<void>): void {
    const kept = reported
      .catch((cause: unknown) =>
        this.#rooms.warn(`how a tool ended isn't on record: ${cause instanceof Error ? cause.message : ""}`),
      )
      .finally(() => this.#reports.delete(kept));
    this.#reports.add(kept);
  }
}

interface Call {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly _meta?: { readonly progressToken?: unknown };
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}
