import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXECD_PORT } from "@countersign/sandbox";
import { codeRoutes, Kernels } from "./code/index.ts";
import { Commands, commandRoutes } from "./commands/index.ts";
import { fileRoutes, WorkspaceFiles } from "./files/index.ts";
import {
  answerRequest,
  becomesSocket,
  DEFAULT_LOCAL_LIMITS,
  type Exchange,
  ExecdError,
  forwardToPort,
  type LocalLimits,
  openSocket,
  type Route,
  routeTable,
} from "./http/index.ts";
import { IsolatedSessions, type Isolator, isolatedRoutes, noIsolatedRoutes } from "./isolated/index.ts";
import { metricRoutes } from "./metrics.ts";
import { ConfinedTree, openTree, type ProcessStarter, type Root, Surroundings } from "./places/index.ts";
import { Processes, unjailed } from "./processes/index.ts";
import { PtyConnections, Ptys, ptyRoutes } from "./pty/index.ts";
import { Sessions, sessionRoutes } from "./sessions/index.ts";

export interface LocalExecdOptions {
  /** Loopback by default: whoever reaches it may do what this user may. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port?: number;
  /** Whoever asks must have it; nobody needs one where it is undefined. */
  readonly token?: string | undefined;
  /** Where commands start and paths begin. */
  readonly directory?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Without one, whoever asks has all that this user has. */
  readonly jail?: LocalJail | undefined;
  /** Without one there are no isolated sessions. */
  readonly isolator?: Isolator | undefined;
  readonly limits?: Partial<LocalLimits>;
  /** Something happened that is a fault of ours. */
  readonly onBug?: (cause: unknown) => void;
}

/** What is around everything that is asked for. */
export interface LocalJail {
  readonly starter: ProcessStarter;
  /** What of the file system can be asked for, by the paths that processes know. */
  readonly roots: readonly Root[];
}

export interface LocalExecd {
  readonly url: string;
  readonly port: number;
  /** Ends what runs, too. */
  close(): Promise<void>;
}

/** An execd on this machine. */
export async function startLocalExecd(options: LocalExecdOptions = {}): Promise<LocalExecd> {
  const limits = { ...DEFAULT_LOCAL_LIMITS, ...options.limits };
  const stateDirectory = mkdtempSync(join(tmpdir(), "countersign-execd-"));
  const { jail, isolator, onBug = () => undefined } = options;
  const processes = new Processes(jail?.starter ?? unjailed, limits.maxProcesses);
  const tree = jail ? new ConfinedTree(jail.roots) : openTree;
  const around = new Surroundings(options.directory ?? process.cwd(), known(options.env ?? process.env), tree);
  const commands = new Commands(processes, limits, stateDirectory);
  const sessions = new Sessions(processes, limits);
  const kernels = new Kernels(processes, limits.maxSessions, () => around.env());
  const ptys = new Ptys(processes, limits);
  const ptyConnections = new PtyConnections(ptys, limits);
  const files = new WorkspaceFiles(around, tree);
  const filesRoutes = fileRoutes(files, limits, stateDirectory);
  const isolated = isolator && new IsolatedSessions(isolator, limits, stateDirectory, onBug);
  const interrupt = async (exchange: Exchange) => {
    const id = exchange.required("id");
    const kernel = kernels.get(id);
    kernel?.interrupt();
    if (!kernel && !(await commands.interrupt(id)) && !sessions.delete(id)) {
      throw new ExecdError(500, "RUNTIME_ERROR", "error interruptting code context. no such session");
    }
    exchange.done();
  };
  const routes: Route[] = [
    ["GET", "/ping", (exchange) => exchange.done()],
    ["DELETE", "/command", interrupt],
    ["DELETE", "/code", interrupt],
    ...codeRoutes(kernels, commands, sessions, around, limits),
    ...commandRoutes(commands, around, limits),
    ...sessionRoutes(sessions, around, limits),
    ...filesRoutes,
    ...ptyRoutes(ptys, around, files, limits),
    ...metricRoutes(),
    ...(isolated ? isolatedRoutes(isolator, isolated, around, limits, filesRoutes) : noIsolatedRoutes()),
  ];
  // From a jail nothing of this machine is reached; that a call may come through here to itself is a stock execd's.
  const mayReach = (to: number) => !jail || to === (server.address() as AddressInfo).port;
  const desk = {
    token: options.token,
    find: routeTable(routes),
    forward: (request: IncomingMessage, response: ServerResponse) => forwardToPort(request, response, mayReach),
    onBug,
  };
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: 0,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 60_000,
      shouldUpgradeCallback: becomesSocket,
    },
    (request, response) => {
      request.setTimeout(limits.idleBodyMs, () => request.destroy());
      request.once("end", () => request.setTimeout(0));
      void answerRequest(request, response, desk);
    },
  );
  const upgrades = { token: options.token, mayReach, openPty: ptyConnections.open.bind(ptyConnections) };
  server.on("upgrade", (request, socket, head) => openSocket(request, socket, head, upgrades));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? EXECD_PORT, options.host ?? "127.0.0.1", resolve);
  }).catch((cause) => {
    rmSync(stateDirectory, { recursive: true, force: true });
    throw cause;
  });
  const { port, address, family } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    async close() {
      await Promise.all([processes.close(), isolated?.close()]);
      ptyConnections.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      tree.close();
      rmSync(stateDirectory, { recursive: true, force: true });
    },
  };
}

function known(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
