import type { Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Limits, Log } from "@countersign/core/base";
import { StartError } from "@countersign/core/errors";
import { createAdaptorServer } from "@hono/node-server";
import { type ClosableServer, closable } from "./closable-server.ts";
import { closeSilentBodies, listenOnPort, timeLimits } from "./listen-on-port.ts";
import { isEveryAddress, type PlannedListener } from "./plan-listeners.ts";
import type { Reach } from "./reach.ts";

interface WebServers {
  readonly servers: readonly Server[];
  readonly listeners: readonly ClosableServer[];
  /** Listens, and returns the addresses: this machine's first, then the network's. */
  open(port: number): Promise<readonly string[]>;
}

interface WebServerOptions {
  readonly fetch: Parameters<typeof createAdaptorServer>[0]["fetch"];
  readonly reach: Reach;
  readonly limits: Limits;
  readonly log: Log;
}

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];

/** Creates the HTTP servers without listening yet, so that everything else can be attached first. */
export async function createWebServers({ fetch, reach, limits, log }: WebServerOptions): Promise<WebServers> {
  const all: { readonly plan: PlannedListener; readonly server: Server }[] = [];
  for (const plan of reach.planned) {
    const leaf = plan.secure ? await reach.certificateFor(plan.host) : undefined;
    const serverOptions = { ...timeLimits(limits), ...leaf };
    const made = leaf
      ? createAdaptorServer({ fetch, createServer: createTlsServer, serverOptions })
      : createAdaptorServer({ fetch, serverOptions });
    all.push({ plan, server: made as Server });
  }
  const servers = all.map(({ server }) => server);
  for (const server of servers) {
    closeSilentBodies(server, limits);
    // Refuses further connections. Otherwise idle ones could use up all descriptors, and the hub couldn't open a file.
    server.maxConnections = limits.portConnections;
  }
  return {
    servers,
    listeners: servers.map(closable),
    async open(wanted) {
      const urls: string[] = [];
      let port = wanted;
      for (const [index, { plan, server }] of all.entries()) {
        try {
          const address = await listenOnPort(server, { host: plan.host, port });
          port = (server.address() as AddressInfo).port;
          // If it listens on every address, this machine uses the loopback.
          const named = isEveryAddress(plan.host) ? `127.0.0.1:${port}` : address;
          urls.push(`${plan.secure ? "https" : "http"}://${named}`);
        } catch (cause) {
          // A network that is gone must not prevent the start, or every agent would be denied.
          if (index === 0 || reach.networkIsRequired || !(cause instanceof StartError)) throw cause;
          log.warn({ err: cause }, "the network's address isn't listened on; this machine's is");
        }
      }
      for (const name of LOOPBACK_NAMES) reach.origins.add(`http://${name}:${port}`);
      reach.opened(urls);
      return urls;
    },
  };
}
