import type { Clock, Identity, Limits, Timer } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { uuidv7 } from "uuidv7";
import type { Hub } from "../../hub/index.ts";
import { callOwnTool } from "./call-own-tool.ts";
import { toolServer } from "./tool-server.ts";

interface Session {
  readonly ownerId: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Number of requests in progress. */
  busy: number;
  idle: Timer | undefined;
}

/**
 * The hub's tools over streamable HTTP, with a session for each client. A session belongs to the token that began it.
 * It ends when the client says so, after a long idle time, when the token is revoked, or when the hub closes; its open
 * calls are withdrawn then.
 */
export class McpHttpSessions {
  readonly #hub: Hub;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #sessions = new Map<string, Session>();
  /** Number of sessions that are being opened. */
  #opening = 0;

  constructor(hub: Hub, clock: Clock, limits: Limits) {
    this.#hub = hub;
    this.#clock = clock;
    this.#limits = limits;
  }

  get size(): number {
    return this.#sessions.size;
  }

  async handle(request: Request, body: unknown, identity: Identity): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return await this.#begin(request, body, identity);
    const session = this.#sessions.get(id);
    // The same error as for no session, so that nobody learns of another's.
    if (session?.ownerId !== identity.id) return refuse(404, "There's no such session; begin another");
    return await this.#within(session, id, () => handOn(session.transport, request, body));
  }

  endOwnedBy(ownerId: string): void {
    for (const [id, session] of this.#sessions) if (session.ownerId === ownerId) this.#end(id);
  }

  close(): void {
    for (const id of [...this.#sessions.keys()]) this.#end(id);
  }

  async #begin(request: Request, body: unknown, identity: Identity): Promise<Response> {
    if (!isInitialize(body)) return refuse(400, "A session begins with an initialize request, by POST");
    const own = [...this.#sessions.values()].filter(({ ownerId }) => ownerId === identity.id).length;
    if (this.#sessions.size + this.#opening >= this.#limits.mcpSessions)
      throw new HubError("LIMIT", `${this.#sessions.size} MCP sessions are open (limit: mcpSessions)`);
    if (own >= this.#limits.mcpSessionsPerToken)
      throw new HubError("LIMIT", `This token has ${own} MCP sessions open (limit: mcpSessionsPerToken)`);
    this.#opening += 1;
    try {
      const transport = await this.#connect(identity);
      return await handOn(transport, request, body);
    } finally {
      this.#opening -= 1;
    }
  }

  async #connect(identity: Identity): Promise<WebStandardStreamableHTTPServerTransport> {
    const session = `mcp:${uuidv7()}`;
    const server = toolServer({
      call: (call, how) => callOwnTool({ ...call, ...how, session, identity }, this.#hub, this.#clock, this.#limits),
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => uuidv7(),
      onsessioninitialized: (id) => this.#opened(id, { ownerId: identity.id, transport, busy: 0, idle: undefined }),
      onsessionclosed: (id) => this.#end(id),
      maxRequestBodySize: this.#limits.frameBytes,
    });
    server.onerror = (cause) =>
      this.#hub.log.info({ err: cause, agent: identity.name }, "an MCP client sent what isn't taken");
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    this.#hub.log.info({ agent: identity.name, session }, "an MCP session began");
    return transport;
  }

  #opened(id: string, session: Session): void {
    this.#sessions.set(id, session);
    this.#rest(session, id);
  }

  async #within(session: Session, id: string, handle: () => Promise<Response>): Promise<Response> {
    session.idle?.cancel();
    session.busy += 1;
    try {
      return await handle();
    } finally {
      session.busy -= 1;
      if (session.busy === 0 && this.#sessions.has(id)) this.#rest(session, id);
    }
  }

  #rest(session: Session, id: string): void {
    session.idle?.cancel();
    session.idle = this.#clock.after(this.#limits.mcpIdleMs, () => this.#end(id));
  }

  #end(id: string): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#sessions.delete(id);
    session.idle?.cancel();
    // Aborts the requests in progress.
    session.transport.close().catch((cause) => this.#hub.log.error({ err: cause }, "an MCP session didn't close"));
  }
}

/** Passes a request to the transport, and cancels it if the client disconnects: it can't come back for the answer. */
async function handOn(
  transport: WebStandardStreamableHTTPServerTransport,
  request: Request,
  body: unknown,
): Promise<Response> {
  const ids = [body].flat().flatMap((message) => idOf(message) ?? []);
  const cancel = () => {
    for (const requestId of ids)
      transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  };
  request.signal.addEventListener("abort", cancel, { once: true });
  return await transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
}

function idOf(message: unknown): string | number | undefined {
  const { id, method } = (message ?? {}) as { readonly id?: unknown; readonly method?: unknown };
  return method !== undefined && (typeof id === "string" || typeof id === "number") ? id : undefined;
}

function isInitialize(body: unknown): boolean {
  return [body].flat().some((message) => (message as { readonly method?: unknown } | null)?.method === "initialize");
}

function refuse(status: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }, { status });
}
