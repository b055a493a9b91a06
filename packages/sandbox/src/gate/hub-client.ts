import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";

export interface HubClientOptions {
  readonly hub: URL;
  readonly token: string;
  /** PEM: of a hub whose certificate is its own CA's. */
  readonly ca?: string | undefined;
}

export interface HubAnswer {
  readonly status: number;
  readonly json: unknown;
}

const MOST_READ = 256 * 1024;

/** JSON to the hub and back. Not `fetch`: that gives up where a person takes their time. Rejects where there's no answer in time. */
export class HubClient {
  readonly #options: HubClientOptions;

  constructor(options: HubClientOptions) {
    this.#options = options;
  }

  async post(path: string, body: object, signal: AbortSignal): Promise<HubAnswer> {
    const { hub, token, ca } = this.#options;
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": bytes.length,
    };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const options = { method: "POST", headers, signal, ...(ca === undefined ? {} : { ca }) };
    const call = (hub.protocol === "https:" ? httpsRequest : httpRequest)(new URL(path, hub), options);
    call.on("response", resolve);
    call.on("error", reject);
    call.end(bytes);
    return await readAnswer(await promise);
  }
}

async function readAnswer(answer: IncomingMessage): Promise<HubAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_READ) throw new Error("the hub's answer is longer than any answer of a hub");
    chunks.push(chunk);
  }
  return { status: answer.statusCode ?? 0, json: parse(Buffer.concat(chunks).toString()) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
