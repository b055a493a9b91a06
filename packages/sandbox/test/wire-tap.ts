import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What passed over one connection. */
export interface Passed {
  readonly asked: Buffer;
  readonly answered: Buffer;
}

/** Stands before a server and keeps every byte, both ways. */
export class WireTap implements AsyncDisposable {
  readonly #connections: { asked: Buffer[]; answered: Buffer[] }[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server;

  private constructor(target: URL) {
    this.#server = createServer({ allowHalfOpen: true }, (client) => {
      const kept = { asked: [] as Buffer[], answered: [] as Buffer[] };
      this.#connections.push(kept);
      const server = connect({ host: target.hostname, port: Number(target.port), allowHalfOpen: true });
      for (const [from, to, into] of [
        [client, server, kept.asked],
        [server, client, kept.answered],
      ] as const) {
        this.#sockets.add(from);
        from.setNoDelay(true);
        from.on("data", (chunk) => into.push(chunk));
        from.on("error", () => to.destroy());
        from.on("close", () => to.destroySoon());
        from.pipe(to);
      }
    });
  }

  static async before(target: string): Promise<WireTap> {
    const tap = new WireTap(new URL(target));
    tap.#server.listen(0, "127.0.0.1");
    await once(tap.#server, "listening");
    return tap;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get passed(): readonly Passed[] {
    return this.#connections.map(({ asked, answered }) => ({
      asked: Buffer.concat(asked),
      answered: Buffer.concat(answered),
    }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}
