import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { type Clock, systemClock } from "@countersign/core/base";
import type { Dialer } from "@countersign/core/network";
import { JailProxy } from "../../../jail/src/network/jail-proxy.ts";
import { DEFAULT_NETWORK_LIMITS, type NetworkLimits } from "../../../jail/src/network/network-limits.ts";
import type { NetworkRule } from "../../../jail/src/network/network-rule.ts";

export interface ProxyPlan {
  readonly rule?: Partial<NetworkRule>;
  readonly limits?: Partial<NetworkLimits>;
  readonly clock?: Clock;
  readonly dialer?: Partial<Dialer>;
}

/** A proxy that listens on a port of this machine. */
export async function openProxy(t: TestContext, { rule, limits, clock = systemClock, dialer }: ProxyPlan) {
  const open = { connections: 0 };
  const proxy = new JailProxy(
    { hosts: "any", privateToo: false, ...rule },
    { dialer: dialerOf(dialer), limits: { ...DEFAULT_NETWORK_LIMITS, ...limits }, clock, open },
  );
  const port = await listen(
    t,
    createServer((socket) => proxy.serve(socket)),
  );
  t.after(() => proxy.close());
  return { proxy, port, open };
}

/** Names have no address, and nothing is reached, unless the test says otherwise. */
function dialerOf(dialer: Partial<Dialer> = {}): Dialer {
  return {
    resolve: async (name) => {
      throw Object.assign(new Error(`no ${name}`), { code: "ENOTFOUND" });
    },
    ownAddresses: () => [],
    routeTo: async () => "elsewhere",
    connect: () => connect({ path: "/nonexistent/socket" }),
    ...dialer,
  };
}

/** A world of public addresses, each of which is in truth a port of this machine. Says what was dialled. */
export function worldOf(names: Readonly<Record<string, readonly string[]>>, ports: Readonly<Record<string, number>>) {
  const dialled: string[] = [];
  const dialer: Partial<Dialer> = {
    resolve: async (name) => {
      const found = names[name];
      if (!found) throw Object.assign(new Error(`no ${name}`), { code: "ENOTFOUND" });
      return found;
    },
    connect: (addresses, port) => {
      dialled.push(`${addresses.join(",")} ${port}`);
      return connect({ host: "127.0.0.1", port: ports[addresses[0] as string] ?? 1, allowHalfOpen: true });
    },
  };
  return { dialer, dialled };
}

export async function listen(t: TestContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

export function httpUpstream(t: TestContext, answer: RequestListener): Promise<number> {
  return listen(t, createHttpServer(answer));
}

/** Sends what comes back, and says goodbye when the other side has. */
export function echoUpstream(t: TestContext): Promise<number> {
  return listen(
    t,
    createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("error", () => undefined);
      socket.pipe(socket);
    }),
  );
}

/** A client that writes bytes as they are. */
export async function dialProxy(port: number) {
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  let received = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    socket.emit("more");
  });
  socket.on("error", () => undefined);
  socket.on("end", () => socket.end());
  await once(socket, "connect");
  return {
    socket,
    closed,
    send: (bytes: string | Buffer) => socket.write(bytes),
    received: () => received,
    /** Until so many bytes have come. */
    async take(count: number): Promise<Buffer> {
      while (received.length < count) await once(socket, "more");
      const taken = received.subarray(0, count);
      received = received.subarray(count);
      return taken;
    },
    /** Everything until the proxy hangs up. */
    async rest(): Promise<string> {
      await closed;
      return received.toString("latin1");
    },
  };
}
