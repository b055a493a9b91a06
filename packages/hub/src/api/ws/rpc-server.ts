import type { Identity, Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import {
  APPROVAL_NOT_FOUND,
  CLOSE,
  type ExecApprovalRequestPayload,
  type ProblemCode,
} from "@countersign/protocol/proposals";
import type { LedgerCheckpoint } from "@countersign/protocol/records";
import { parseJson } from "@countersign/receipts";
import * as z from "zod";
import type { Chats } from "../../agent/index.ts";
import { type ApprovalNews, askedEvent } from "../../events/index.ts";
import type { Hub } from "../../hub/index.ts";
import { authorize, type Head, OutputSubscriptions, type Peer, problemOf } from "../index.ts";
import { CardTexts } from "./card-texts.ts";
import { ChatSubscriptions } from "./chat-subscriptions.ts";
import type { FairQueue } from "./fair-queue.ts";
import type { Logins } from "./logins.ts";
import { replayPending } from "./replay.ts";
import { callRpc } from "./rpc-methods.ts";

const authSchema = z.strictObject({ type: z.literal("auth"), token: z.string().min(1).max(512) });
const idSchema = z.union([z.string().max(128), z.number()]);
const requestSchema = z.strictObject({
  id: idSchema,
  method: z.string().min(1).max(64),
  params: z.unknown().optional(),
});

/** Error codes of JSON-RPC, and seed 003's own. */
const NUMBER: Record<ProblemCode, number> = {
  NOT_FOUND: -32602,
  INVALID_PARAMS: -32602,
  METHOD_NOT_FOUND: -32601,
  UNAUTHORIZED: -32001,
  CONFLICT: -32602,
  LIMIT: -32603,
  INTERNAL: -32603,
};
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

interface RpcOptions {
  readonly hub: Hub;
  readonly chats: Chats;
  readonly limits: Limits;
  readonly logins: Logins;
  /** Decides which connection is sent pending approvals next. */
  readonly queue: FairQueue;
}

/** The RPC dialect, at `/`: seed 003's frames over the same hub. */
export class RpcServer {
  readonly #options: RpcOptions;
  readonly #connections = new Set<RpcConnection>();
  readonly #texts: CardTexts;

  constructor(options: RpcOptions) {
    this.#options = options;
    const { approvals, news, checkpointNews } = options.hub;
    this.#texts = new CardTexts(approvals, news, (card) => JSON.stringify(askedFrame(card)));
    news.listen((news) => {
      for (const connection of this.#connections) connection.sendNews(news);
    });
    checkpointNews.listen((checkpoint) => this.#sendCheckpoint(checkpoint));
  }

  #sendCheckpoint(checkpoint: LedgerCheckpoint): void {
    for (const connection of this.#connections) connection.sendCheckpoint(checkpoint);
  }

  serve(connection: Peer, address: string): void {
    const rpc = new RpcConnection(connection, address, { ...this.#options, texts: this.#texts });
    this.#connections.add(rpc);
    connection.gone.addEventListener("abort", () => this.#connections.delete(rpc));
  }
}

class RpcConnection {
  readonly #connection: Peer;
  readonly #address: string;
  readonly #hub: Hub;
  readonly #chats: Chats;
  readonly #limits: Limits;
  readonly #logins: Logins;
  readonly #queue: FairQueue;
  readonly #texts: CardTexts;
  #identity: Identity | undefined;
  readonly #underWay = new Set<string | number>();
  readonly #outputs: OutputSubscriptions;
  readonly #subscriptions: ChatSubscriptions;

  constructor(connection: Peer, address: string, options: RpcOptions & { readonly texts: CardTexts }) {
    const { hub, chats, limits, logins, queue, texts } = options;
    this.#connection = connection;
    this.#address = address;
    this.#hub = hub;
    this.#chats = chats;
    this.#limits = limits;
    this.#logins = logins;
    this.#queue = queue;
    this.#texts = texts;
    this.#outputs = new OutputSubscriptions(connection, {
      followers: hub.followers,
      limits,
      output: (data) => connection.send({ event: "exec.output", data }),
      ended: (data) => connection.send({ event: "exec.output_ended", data }),
      failed: (cause) => hub.log.error({ err: cause }, "an output could not be sent"),
    });
    this.#subscriptions = new ChatSubscriptions(connection, chats, limits);
    connection.onText((text) => this.#take(text));
  }

  sendNews(news: ApprovalNews): void {
    if (!this.#identity || !SEE_ALL.has(this.#identity.role)) return;
    if ("closed" in news) {
      this.#connection.send({ event: "exec.approval_resolved", data: news.closed });
      return;
    }
    const { approvalId } = news.kind === "asked" ? news.card : news.counted;
    const sent =
      news.kind === "asked"
        ? this.#ask(news.card)
        : this.#connection.send({ event: "exec.approval_counted", data: news.counted });
    if (!sent || this.#identity.role !== "approver") return;
    this.#hub.approvals.delivered([approvalId]).catch((cause) => {
      this.#hub.log.error({ err: cause }, "a delivery could not be recorded");
    });
  }

  sendCheckpoint(data: LedgerCheckpoint): void {
    if (this.#identity && SEE_ALL.has(this.#identity.role))
      this.#connection.send({ event: "receipts.checkpoint", data });
  }

  #take(text: string): void {
    let json: unknown;
    try {
      json = parseJson(text);
    } catch {
      if (!this.#identity) return this.#connection.close(CLOSE.unauthorized, "authenticate first");
      return this.#fail(null, PARSE_ERROR, "The frame isn't JSON");
    }
    if (!this.#identity) return this.#login(json);
    const request = requestSchema.safeParse(json);
    if (!request.success) return this.#fail(idOf(json), INVALID_REQUEST, "A request is {id, method, params?}");
    void this.#answer(request.data, this.#identity);
  }

  #login(json: unknown): void {
    this.#logins.heard(this.#connection);
    const auth = authSchema.safeParse(json);
    const identity = auth.success ? this.#logins.attempt(auth.data.token, this.#address) : undefined;
    if (identity === "limited") return this.#connection.close(CLOSE.rateLimited, "too many wrong tokens");
    if (!identity || identity.role === "hub") return this.#connection.close(CLOSE.unauthorized, "no valid token");
    this.#identity = identity;
    this.#logins.loggedIn(this.#connection, identity);
    this.#connection.send({ type: "auth", ok: true });
    if (!SEE_ALL.has(identity.role)) return;
    const to = {
      connection: this.#connection,
      identity,
      head: () => NO_HEAD,
      send: (card: ExecApprovalRequestPayload) => this.#connection.send(askedFrame(card)),
    };
    replayPending(this.#hub.approvals, this.#texts, this.#queue, to).catch((cause) => {
      this.#hub.log.error({ err: cause }, "pending approvals could not be replayed");
      this.#connection.close(1011, "replay failed");
    });
  }

  async #answer({ id, method, params }: z.infer<typeof requestSchema>, identity: Identity): Promise<void> {
    if (this.#underWay.has(id)) return this.#fail(null, INVALID_REQUEST, `The id ${id} is under way`);
    this.#underWay.add(id);
    try {
      if (this.#underWay.size > this.#limits.requestsPerConnection) {
        throw new HubError("LIMIT", "Too many requests are under way (limit: requestsPerConnection)");
      }
      authorize("rpc", method, identity);
      const { frameBytes } = this.#connection;
      const call = { method, params, identity, outputs: this.#outputs, chats: this.#subscriptions, frameBytes };
      const sent = this.#connection.send({ id, result: await callRpc(this.#hub, this.#chats, call) });
      if (!sent) throw new HubError("LIMIT", "The answer is too large for a frame (limit: frameBytes): ask for less");
    } catch (cause) {
      const { code, message } = problemOf(cause, this.#hub.log);
      // Seed 003's words for this error.
      this.#fail(id, NUMBER[code], message === APPROVAL_NOT_FOUND ? "approval not found or already resolved" : message);
    } finally {
      this.#underWay.delete(id);
    }
  }

  #ask(card: ExecApprovalRequestPayload): boolean {
    const tail = this.#texts.of(card);
    return tail.length <= this.#connection.frameBytes && this.#connection.sendShared({ head: NO_HEAD, tails: [tail] });
  }

  #fail(id: string | number | null, code: number, message: string): void {
    this.#connection.send({ id, error: { code, message } });
  }
}

function askedFrame(card: ExecApprovalRequestPayload) {
  return { event: "exec.approval_request", data: askedEvent(card) };
}

/** No part differs between receivers. */
const NO_HEAD: Head = { bytes: Buffer.alloc(0), numberAt: undefined };

const SEE_ALL = new Set(["approver", "observer"]);

function idOf(json: unknown): string | number | null {
  const reading = z.object({ id: idSchema }).safeParse(json);
  return reading.success ? reading.data.id : null;
}
