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
  /** Where it can be reached: first from this machine, then from the network. */
  open(port: number): Promise<readonly string[]>;
}

interface WebServerOptions {
  readonly fetch: Parameters<typeof createAdaptorServer>[0]["fetch"];
  readonly reach: Reach;
  readonly limits: Limits;
  readonly log: Log;
}

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];

/** The HTTP servers, not listening yet: what else they serve is to be in its place before anybody comes. */
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
    // Past it nobody is let in. Without it silent connections take every descriptor, and the hub can't open a file.
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
          // Every address: this machine's way to it is the loopback.
          const named = isEveryAddress(plan.host) ? `127.0.0.1:${port}` : address;
          urls.push(`${plan.secure ? "https" : "http"}://${named}`);
        } catch (cause) {
          // An address of yesterday's network must not leave every agent denied today.
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
