// In a namespace of a test's network: serves and connects as it is asked, one message at a time.
import { createSocket, type Socket as Datagrams } from "node:dgram";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { dnsAnswerTo } from "./dns-server.ts";

interface Asked {
  readonly id: number;
  readonly op: string;
  readonly host: string;
  readonly port: number;
  readonly localPort?: number;
  readonly bytes?: number;
  readonly count?: number;
  readonly names?: Readonly<Record<string, readonly string[]>>;
  readonly name?: string;
  readonly at_once?: number;
  readonly forMs?: number;
  /** At most so many in a second. */
  readonly perSecond?: number;
}

const kept = new Map<number, Socket>();

const OPS: Record<string, (asked: Asked) => Promise<unknown>> = {
  /** Reads everything, and ends when the other does. */
  async serveTcp({ host, port }) {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("error", () => socket.destroy());
      socket.on("end", () => socket.end());
      socket.resume();
    });
    server.listen(port, host, 4_096);
    await once(server, "listening");
  },
  async serveUdp({ host, port }) {
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
    socket.bind(port, host);
    await once(socket, "listening");
  },
  async serveDns({ host, port, names = {} }) {
    const socket = createSocket("udp4");
    socket.on("message", (message, { address, port: to }) => socket.send(dnsAnswerTo(message, names), to, address));
    socket.bind(port, host);
    await once(socket, "listening");
  },
  /** So many bytes, and the end. */
  async tcp({ host, port, bytes = 0, localPort }) {
    const socket = await connected(host, port, localPort);
    socket.resume();
    socket.end(Buffer.alloc(bytes, "x"));
    await once(socket, "close");
  },
  /** Stays open. */
  async hold({ id, host, port, bytes = 0 }) {
    const socket = await connected(host, port);
    kept.set(id, socket);
    if (bytes > 0) await new Promise((resolve) => socket.write(Buffer.alloc(bytes, "x"), resolve));
    return id;
  },
  async write({ port: which, bytes = 0 }) {
    const socket = kept.get(which);
    if (!socket) throw new Error("nothing is held by that number");
    await new Promise((resolve) => socket.write(Buffer.alloc(bytes, "x"), resolve));
  },
  async letGo({ port: which }) {
    const socket = kept.get(which);
    if (!socket) throw new Error("nothing is held by that number");
    socket.resume().end();
    await once(socket, "close");
  },
  /** So many datagrams of so many bytes, from one port. */
  async udp({ host, port, bytes = 0, count = 1, localPort }) {
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
    if (localPort !== undefined) await bound(socket, localPort);
    for (let n = 0; n < count; n += 1) await sent(socket, Buffer.alloc(bytes, "y"), port, host);
    socket.close();
  },
  /** Short connections, some at once. */
  async many({ host, port, count = 1, at_once = 32, perSecond = 1_000_000 }) {
    let begun = 0;
    const fromMs = performance.now();
    const one = async () => {
      while (begun < count) {
        const dueMs = fromMs + (1_000 * begun++) / perSecond;
        if (dueMs > performance.now()) await sleep(dueMs - performance.now());
        await OPS.tcp?.({ id: 0, op: "tcp", host, port, bytes: 10 });
      }
    };
    await Promise.all(Array.from({ length: at_once }, one));
    return performance.now() - fromMs;
  },
  /** As much as goes, for so long: bytes in a second. */
  async blast({ host, port, forMs = 1_000 }) {
    const socket = await connected(host, port);
    const chunk = Buffer.alloc(1024 * 1024, "z");
    const fromMs = performance.now();
    while (performance.now() - fromMs < forMs) if (!socket.write(chunk)) await once(socket, "drain");
    socket.resume().end();
    await once(socket, "close");
    return (1_000 * socket.bytesWritten) / (performance.now() - fromMs);
  },
  async resolve({ host, port, name = "" }) {
    const socket = createSocket("udp4");
    const labels = name.split(".").flatMap((label) => [label.length, ...Buffer.from(label)]);
    const query = Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, 1, 0, 1]);
    const answered = once(socket, "message");
    await sent(socket, query, port, host);
    await answered;
    socket.close();
  },
};

async function connected(host: string, port: number, localPort?: number): Promise<Socket> {
  const socket = connect({ host, port, ...(localPort === undefined ? {} : { localPort }) });
  await once(socket, "connect");
  socket.on("error", () => socket.destroy());
  return socket;
}

async function bound(socket: Datagrams, port: number): Promise<void> {
  socket.bind(port);
  await once(socket, "listening");
}

function sent(socket: Datagrams, bytes: Buffer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) =>
    socket.send(bytes, port, host, (cause) => (cause ? reject(cause) : resolve())),
  );
}

process.on("message", async (asked: Asked) => {
  const { id, op } = asked;
  try {
    process.send?.({ id, result: (await OPS[op]?.(asked)) ?? null });
  } catch (cause) {
    process.send?.({ id, error: (cause as NodeJS.ErrnoException).code ?? String(cause) });
  }
});
process.on("disconnect", () => process.exit());
process.send?.({ id: 0 });
