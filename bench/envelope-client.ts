import { randomUUID } from "node:crypto";
import WebSocket from "ws";

type Frame = { action: string; payload: Record<string, unknown> };

/** The least that speaks the envelope dialect, so that the bench measures the hub and not a client. */
export class EnvelopeClient {
  readonly #socket: WebSocket;
  readonly #deviceId = randomUUID();
  #hubDeviceId = "";
  onFrame: (frame: Frame) => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => this.onFrame(JSON.parse(String(data))));
  }

  static async register(url: string, token: string, deviceType: "client" | "agent"): Promise<EnvelopeClient> {
    const client = new EnvelopeClient(new WebSocket(`${url.replace("http:", "ws:")}/ws`));
    await new Promise((resolve, reject) => {
      client.#socket.once("open", resolve);
      client.#socket.once("error", reject);
    });
    const registered = new Promise<Frame>((resolve) => {
      client.onFrame = resolve;
    });
    client.#send("gateway", "register", { deviceType, token });
    client.#hubDeviceId = String((await registered).payload.hubDeviceId);
    client.onFrame = () => undefined;
    return client;
  }

  request(method: string, params: object): void {
    this.#send(this.#hubDeviceId, "request", { requestId: randomUUID(), method, params });
  }

  close(): void {
    this.#socket.close();
  }

  #send(to: string, action: string, payload: object): void {
    this.#socket.send(JSON.stringify({ id: randomUUID(), from: this.#deviceId, to, action, payload }));
  }
}
