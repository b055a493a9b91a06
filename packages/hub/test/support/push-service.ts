import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { PushMessage } from "@countersign/protocol/access";

export interface Pushed {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A push service, and the browsers that it delivers to: it keeps what comes, and answers what the test says. */
export class PushService {
  readonly pushed: Pushed[] = [];
  /** For the next requests; 201 after them. */
  readonly answers: number[] = [];
  readonly #waiting: (() => void)[] = [];
  url = "";

  static async start(t: TestContext): Promise<PushService> {
    const service = new PushService();
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      service.pushed.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(service.answers.shift() ?? 201).end();
      for (const wake of service.#waiting.splice(0)) wake();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    return service;
  }

  /** When so many have come in all. */
  async got(count: number): Promise<Pushed> {
    while (this.pushed.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.pushed[count - 1] as Pushed;
  }
}

/** The browser's side of RFC 8291, written from the RFC: it shares no code with what encrypts. */
export class Browser {
  readonly #key = createECDH("prime256v1");
  readonly #auth = randomBytes(16);
  readonly endpoint: string;

  constructor(service: PushService, path: string) {
    this.#key.generateKeys();
    this.endpoint = `${service.url}/${path}`;
  }

  get subscription() {
    const keys = { p256dh: this.#key.getPublicKey("base64url"), auth: this.#auth.toString("base64url") };
    return { endpoint: this.endpoint, keys };
  }

  read({ body }: Pushed): PushMessage {
    // RFC 8188, 2.1: salt (16) | record size (4) | length of the key id (1) | key id, here the sender's public key.
    const salt = body.subarray(0, 16);
    const keyLength = body[20] as number;
    const sender = body.subarray(21, 21 + keyLength);
    const sealed = body.subarray(21 + keyLength);
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), this.#key.getPublicKey(), sender]);
    const secret = Buffer.from(hkdfSync("sha256", this.#key.computeSecret(sender), this.#auth, info, 32));
    const derive = (label: string, length: number) =>
      Buffer.from(hkdfSync("sha256", secret, salt, Buffer.from(`Content-Encoding: ${label}\0`), length));
    const open = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12));
    open.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([open.update(sealed.subarray(0, -16)), open.final()]);
    // The last record ends with 0x02, then padding.
    return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString("utf8"));
  }
}

/** RFC 8292: `vapid t=<JWT>, k=<key>`; the claims, once the signature is seen to be that key's. */
export function readVapid({ headers }: Pushed): { readonly key: string; readonly claims: Record<string, unknown> } {
  const [, jwt = "", key = ""] = /^vapid t=([^,]+), ?k=(.+)$/.exec(headers.authorization ?? "") ?? [];
  const [head, payload = "", signature = ""] = jwt.split(".");
  const point = Buffer.from(key, "base64url");
  const coordinate = (at: number) => point.subarray(at, at + 32).toString("base64url");
  const jwk = { kty: "EC", crv: "P-256", x: coordinate(1), y: coordinate(33) };
  const publicKey = { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" as const };
  const signed = Buffer.from(`${head}.${payload}`);
  if (!verify("sha256", signed, publicKey, Buffer.from(signature, "base64url")))
    throw new Error("not signed by its key");
  return { key, claims: JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) };
}
