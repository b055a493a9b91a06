import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { ExecdFrame, FrameSink } from "../delivery/index.ts";
import { type Route, routeOf } from "../wire/index.ts";
import { AgentConnection, SOCKET_BUFFERS } from "./connection.ts";
import { coverageA } from "./coverage.ts";
import { DecodeBudget } from "./decode/index.ts";
import { Digests } from "./digest/index.ts";
import { BegunIn, Contexts, HeldBytes, PROXY_LIMITS, type ProxyLimits, portsOf } from "./http/index.ts";
import { IdleAgents } from "./idle-agents.ts";
import type { ProxyTokens } from "./own-token.ts";
import { type Desk, FollowCommands, type Gate, OwnCalls, Ptys, Tellings, tellPtyEnd } from "./record/index.ts";

export interface ProxyOptions {
  readonly listen: { readonly host: string; readonly port: number };
  /** `http://127.0.0.1:44772`. */
  readonly execd: URL;
  readonly sandboxId: string;
  readonly opensandboxVersion?: string | undefined;
  readonly sink: FrameSink;
  readonly gate?: Gate;
  /** Without them, agents' calls pass with the token that they have. */
  readonly tokens?: ProxyTokens | undefined;
  /** `none` without a gate: then nothing is enforced. */
  readonly enforcement?: ExecdFrame["enforcement"];
  /** How long calls that are under way may go on after `close`: execd holds a stream for up to a second after a command's end. */
  readonly tailMs?: number;
  /** How long frames may take to be delivered after that. */
  readonly deliverMs?: number;
  readonly limits?: Partial<ProxyLimits>;
  /** What large bodies are hashed by; closed with the proxy. */
  readonly digests?: Digests;
}

export interface RecordingProxy {
  readonly address: AddressInfo;
  /** Takes no more calls, lets those under way end within their time, tells the others as they stand, and delivers what is told. */
  close(): Promise<void>;
}

const TAIL_MS = 2000;
const DELIVER_MS = 5000;
const LAST_WORDS_MS = 500;
const MOST_CONNECTIONS = 10_000;
/** What a gate asks execd for itself. */
const CLOSED_BY_GATE = routeOf("DELETE", "/pty/:sessionId", { execd: [] }) as Route;

export async function startProxy(options: ProxyOptions): Promise<RecordingProxy> {
  const { execd, sandboxId, sink, gate = null, enforcement = "none", opensandboxVersion } = options;
  const ownCalls = new OwnCalls(execd);
  const desk: Desk = {
    ...{
      sink,
      ownCalls,
      contexts: new Contexts(),
      begunIn: new BegunIn(),
      ptys: new Ptys(),
      budget: new DecodeBudget(),
      digests: options.digests ?? new Digests(),
      tellings: new Tellings(),
    },
    followed: new FollowCommands(ownCalls),
    voice: { sandboxId, coverage: coverageA(opensandboxVersion), enforcement },
  };
  const port = Number(execd.port || 80);
  const connections = new Map<Socket, AgentConnection>();
  const limits = { ...PROXY_LIMITS, ...options.limits };
  const connectionOptions = {
    ...{ held: new HeldBytes(limits.heldBytes), idle: new IdleAgents(limits), stallMs: limits.stallMs },
    ...{ desk, gate, tokens: options.tokens, execd: { host: execd.hostname.replace(/^\[|\]$/g, ""), port } },
  };
  // Nobody connects before it listens.
  let ports = portsOf(port, options.listen.port);
  gate?.bind?.({
    closed: (id) => desk.ptys.deleted(id, (end) => tellPtyEnd({ desk, route: CLOSED_BY_GATE, id }, end)),
    cut: (id) => desk.ptys.cut(id),
  });
  const server = createServer({ allowHalfOpen: true, ...SOCKET_BUFFERS }, (socket) => {
    connections.set(socket, new AgentConnection(socket, { ...connectionOptions, ports }));
    socket.on("close", () => connections.delete(socket));
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(options.listen);
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  ports = portsOf(port, address.port);
  return {
    address,
    async close() {
      server.close();
      for (const connection of connections.values()) connection.endSoon();
      await quiet(connections, options.tailMs ?? TAIL_MS);
      if (gate?.endTerminals) {
        await gate.endTerminals();
        // Their shells' last words.
        await quiet(connections, LAST_WORDS_MS);
      }
      for (const connection of [...connections.values()]) connection.drainNow();
      await desk.tellings.settled();
      await desk.followed.close();
      await sink.drain(options.deliverMs ?? DELIVER_MS);
      ownCalls.close();
      await desk.digests.close();
    },
  };
}

/** When no connection is left, or the time is over. */
async function quiet(connections: ReadonlyMap<Socket, unknown>, withinMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, withinMs);
  const look = () => connections.size === 0 && resolve();
  for (const socket of connections.keys()) socket.on("close", () => setImmediate(look));
  look();
  await promise;
  clearTimeout(timer);
}
