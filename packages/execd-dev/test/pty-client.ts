import { once } from "node:events";
import WebSocket from "ws";

export interface PtyTarget {
  readonly url: string;
  readonly token?: string | undefined;
}

/** A client of execd's terminals, as somebody would write one by its frames. */
export class PtyTestClient {
  readonly #socket: WebSocket;
  /** All that was put out, replays included. */
  output = "";
  errors = "";
  readonly replays: { offset: bigint; text: string }[] = [];
  readonly frames: Record<string, unknown>[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once("close", (code, reason) => resolve({ code, reason: `${reason}` }));
    });
    socket.on("message", (data: Buffer, isBinary: boolean) => this.#take(data, isBinary));
  }

  static async open({ url, token }: PtyTarget, id: string, query = ""): Promise<PtyTestClient> {
    const headers = token === undefined ? {} : { "X-EXECD-ACCESS-TOKEN": token };
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}/pty/${id}/ws${query}`, { headers });
    const client = new PtyTestClient(socket);
    await once(socket, "open");
    return client;
  }

  type(text: string): void {
    this.#socket.send(Buffer.concat([Buffer.from([0]), Buffer.from(text)]));
  }

  send(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }

  /** Until the output has it. */
  async sees(wanted: string | RegExp): Promise<void> {
    await this.until(() => (typeof wanted === "string" ? this.output.includes(wanted) : wanted.test(this.output)));
  }

  async frame(type: string): Promise<Record<string, unknown>> {
    await this.until(() => this.frames.some((frame) => frame.type === type));
    return this.frames.find((frame) => frame.type === type) ?? {};
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#socket.readyState === this.#socket.CLOSED) throw new Error(`closed; it had put out: ${this.output}`);
      await Promise.race([once(this.#socket, "message"), this.closed]);
    }
  }

  close(): void {
    this.#socket.close();
  }

  #take(data: Buffer, isBinary: boolean): void {
    if (!isBinary) this.frames.push(JSON.parse(data.toString()) as Record<string, unknown>);
    else if (data[0] === 1) this.output += data.subarray(1).toString();
    else if (data[0] === 2) this.errors += data.subarray(1).toString();
    else if (data[0] === 3) {
      const text = data.subarray(9).toString();
      this.replays.push({ offset: data.readBigInt64BE(1), text });
      this.output += text;
    }
  }
}
