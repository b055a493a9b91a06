import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { GatewayClient } from "@countersign/sdk";

/** A way out: who is told something, and how. */
export type Way = "http" | "events" | "envelope" | "rpc" | "cli" | "error" | "log";

/** Hears everything that anybody outside is told, by whatever way. */
export class OutputRecorder {
  readonly heard: { readonly way: Way; readonly text: string }[] = [];
  readonly #hub: { readonly url: string; readonly token: string };

  constructor(hub: { readonly url: string; readonly token: string }) {
    this.#hub = hub;
  }

  hear(way: Way, text: string): void {
    this.heard.push({ way, text });
  }

  /** Asked deliberately, so it isn't heard. */
  async reveal(approvalId: string): Promise<string> {
    return await (await this.#fetch("POST", `/api/v1/approvals/${approvalId}/reveal`, {})).text();
  }

  async call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await this.#fetch(method, path, body);
    const text = await response.text();
    this.hear(response.ok ? "http" : "error", text);
    return text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : {};
  }

  #fetch(method: string, path: string, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#hub.token}`, "content-type": "application/json" };
    return fetch(this.#hub.url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** The first card that waits about this. */
  async card(subject: ExecApprovalRequestPayload["subject"] = "exec"): Promise<ExecApprovalRequestPayload> {
    for (;;) {
      const cards = (await this.call("GET", "/api/v1/approvals")) as unknown as ExecApprovalRequestPayload[];
      const card = cards.find((one) => one.subject === subject);
      if (card) return card;
    }
  }

  /** What a run writes, to its end. */
  async events(proposalId: string): Promise<void> {
    const headers = { authorization: `Bearer ${this.#hub.token}`, accept: "text/event-stream" };
    for (;;) {
      const response = await fetch(`${this.#hub.url}/api/v1/exec/${proposalId}/output`, { headers });
      const text = await response.text();
      this.hear(response.ok ? "events" : "error", text);
      if (response.ok) return;
    }
  }

  async envelope(): Promise<{ client: GatewayClient; hubDeviceId: string }> {
    const url = `${this.#hub.url.replace(/^http/, "ws")}/ws`;
    const client = new GatewayClient({ url, token: this.#hub.token, deviceType: "client" });
    client.onMessage((message) => this.hear("envelope", JSON.stringify(message)));
    return { client, hubDeviceId: (await client.connect()).hubDeviceId };
  }

  async rpc(): Promise<WebSocket> {
    const socket = new WebSocket(this.#hub.url.replace(/^http/, "ws"));
    const opened = new Promise((resolve) => {
      socket.addEventListener("open", resolve);
    });
    socket.addEventListener("message", ({ data }) => this.hear("rpc", String(data)));
    await opened;
    socket.send(JSON.stringify({ type: "auth", token: this.#hub.token }));
    return socket;
  }
}
