import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { ExecdFrame, FrameSink, UntoldCall } from "../src/delivery/frame.ts";
import { type ProxyOptions, type RecordingProxy, startProxy } from "../src/proxy/proxy.ts";

/** Keeps what is told. */
class KeptFrames implements FrameSink {
  readonly frames: ExecdFrame[] = [];
  drains = 0;
  #waiting: (() => void)[] = [];

  /** Calls that were passed on and aren't told. */
  untold = 0;

  begin(): UntoldCall {
    this.untold++;
    return {
      tell: (frames) => {
        this.untold--;
        for (const frame of frames) this.emit(frame);
      },
    };
  }

  emit(frame: ExecdFrame): void {
    this.frames.push(frame);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async drain(): Promise<void> {
    this.drains++;
  }

  /** When there are so many. */
  async have(count: number): Promise<readonly ExecdFrame[]> {
    while (this.frames.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.frames;
  }
}

/** What of a frame a test compares. */
export function brief({ action_type, input, output, error, binding, tool }: ExecdFrame): object {
  return {
    ...{ type: action_type, route: tool.name, endpoint: binding.endpoint, input },
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
  };
}

type Answerer = (socket: Socket, request: string) => void;

/** By its length; other bodies aren't waited for. */
function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1] ?? 0);
  return end !== -1 && text.length >= end + 4 + length;
}

/** An execd that answers each request with whatever bytes a test likes. */
export class RawExecd {
  readonly received: Buffer[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(answer: Answerer) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      let text = "";
      socket.on("data", (chunk) => {
        this.received.push(chunk);
        text += chunk.toString("latin1");
        if (isWhole(text)) {
          const request = text;
          text = "";
          answer(socket, request);
        }
      });
      socket.on("error", () => socket.destroy());
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(answer: Answerer): Promise<RawExecd> {
    const execd = new RawExecd(answer);
    execd.#server.listen(0, "127.0.0.1");
    await once(execd.#server, "listening");
    return execd;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  get bytes(): string {
    return Buffer.concat(this.received).toString("latin1");
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

export interface Stand extends AsyncDisposable {
  readonly sink: KeptFrames;
  readonly proxy: RecordingProxy;
  readonly port: number;
}

export async function standBefore(execd: URL, more: Partial<ProxyOptions> = {}): Promise<Stand> {
  const sink = new KeptFrames();
  const listen = { host: "127.0.0.1", port: 0 };
  const proxy = await startProxy({ listen, execd, sandboxId: "sandbox-1", sink, tailMs: 100, ...more });
  let closed: Promise<void> | undefined;
  return {
    sink,
    proxy: { ...proxy, close: () => (closed ??= proxy.close()) },
    port: proxy.address.port,
    [Symbol.asyncDispose]: () => (closed ??= proxy.close()),
  };
}

/** Sends bytes and reads until the other side closes. */
export async function exchange(port: number, ...parts: readonly (string | Buffer)[]): Promise<Buffer> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  for (const part of parts) {
    socket.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  await Promise.race([once(socket, "end"), once(socket, "close")]);
  socket.destroy();
  return Buffer.concat(chunks);
}

export const jsonRequest = (line: string, body: string, headers = "Connection: close\r\n"): string =>
  `${line} HTTP/1.1\r\nHost: execd\r\n${headers}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** An answer whose end is its connection's. */
export const answer = (status: string, body: string, type = "application/json; charset=utf-8"): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

export const events = (...list: readonly object[]): string =>
  answer("200 OK", list.map((event) => `${JSON.stringify(event)}\n\n`).join(""), "text/event-stream");
