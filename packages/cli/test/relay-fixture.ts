import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { ConnectionOptions } from "node:tls";
import { type Bundle, type ExecdFrame, openCa, readBundle } from "@countersign/sandbox";
import { Place, type Running } from "./countersign.ts";

const UID = process.getuid?.() ?? 0;

export interface Answered {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** One object for each line. */
  readonly body: readonly { status: number; state?: string; error?: { code: string; message: string } }[];
}

export function execdFrame(sandboxId: string, more: object = {}): ExecdFrame {
  return {
    v: "1",
    ts_emit: new Date().toISOString(),
    session_id: sandboxId,
    channel: "opensandbox_execd",
    tool: { name: "POST /command", server: "execd" },
    action_type: "system.command.execute",
    decision: "allowed",
    input: { command: "true" },
    output: { exit_code: 0 },
    idempotency_key: randomUUID(),
    binding: { sandbox_id: sandboxId, endpoint: "/command", route: "POST /command", placement: "execd" },
    coverage: { covers: ["command"], excludes: [], placement: "execd", limits: [] },
    enforcement: "none",
    ...more,
  };
}

/** A hub whose recorder knows this user as a relay, a CA, and a relay's certificate. */
export class RelayPlace {
  readonly place: Place;
  readonly ca: string;
  #url: URL | undefined;
  #health = "";

  private constructor(t: TestContext) {
    this.place = new Place(t);
    this.ca = join(this.place.home, "execd-ca");
  }

  static async make(t: TestContext): Promise<RelayPlace> {
    const made = new RelayPlace(t);
    const { place } = made;
    mkdirSync(place.home, { mode: 0o700 });
    const config = { receipts: { emitters: [{ uid: UID, role: "relay" }] } };
    writeFileSync(join(place.home, "config.json"), JSON.stringify(config), { mode: 0o600 });
    for (const args of [["init"], ["issue", "--relay", "--host", "localhost", "--host", "127.0.0.1"]]) {
      const { code, stderr } = await place.run("execd", "ca", ...args);
      assert.equal(code, 0, stderr);
    }
    return made;
  }

  /** On the same port as before, once it has had one. */
  async relay(...args: readonly string[]): Promise<Running> {
    const port = this.#url?.port ?? "0";
    const relay = this.place.start([
      ...["execd", "relay", "--json", "--listen", `127.0.0.1:${port}`, "--health", "127.0.0.1:0", ...args],
    ]);
    const { url, health } = JSON.parse(await relay.firstLine()) as { url: string; health: string };
    this.#url = new URL(url);
    this.#health = health;
    return relay;
  }

  get url(): string {
    return `https://localhost:${this.#url?.port}`;
  }

  async health(): Promise<Record<string, unknown>> {
    return (await (await fetch(`${this.#health}/healthz`)).json()) as Record<string, unknown>;
  }

  async metrics(): Promise<string> {
    return await (await fetch(`${this.#health}/metrics`)).text();
  }

  /** A good bundle, or one of a moment in the past. */
  async bundle(sandboxId: string, issuedAgoMs = 0): Promise<Bundle> {
    const ca = await openCa(this.ca);
    const out = join(this.place.workspace, `${sandboxId}-${randomUUID()}.pem`);
    const wish = { out, validMs: 60_000, renew: true };
    return readBundle((await ca.issueForSandbox(sandboxId, wish, Date.now() - issuedAgoMs)).file);
  }

  get caCertificate(): string {
    return readFileSync(join(this.ca, "ca.crt"), "utf8");
  }

  /** One request on a connection of its own. */
  post(tls: ConnectionOptions, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Answered> {
    const options = {
      ...{ method: "POST", ca: this.caCertificate, agent: false as const, ...tls },
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body), ...headers },
    };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.url}/ingest`, options, (response) => {
        response.setEncoding("utf8");
        let text = "";
        response.on("data", (part: string) => {
          text += part;
        });
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: response.headers["retry-after"],
            body: text
              .trim()
              .split("\n")
              .map((line) => JSON.parse(line)),
          }),
        );
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  /** Live receipts of a sandbox, and how many were told as dropped, once the relay has nothing left to deliver. */
  async receiptsOf(sandboxId: string): Promise<{ live: number; dropped: number }> {
    const { stdout } = await this.place.run("report", "--from", "1h", "--json");
    const { figures } = JSON.parse(stdout) as {
      figures: { emitters: { emitter: string; frames: number; dropped: number }[] };
    };
    const own = figures.emitters.find(({ emitter }) => emitter === `sandbox:${sandboxId}`);
    return { live: own?.frames ?? 0, dropped: own?.dropped ?? 0 };
  }
}
