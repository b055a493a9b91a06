import type { IncomingMessage, ServerResponse } from "node:http";
import { ExecdError } from "./execd-error.ts";
import { goEncode } from "./go-encode.ts";

/** One request and its answer. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** Of the path's `:name` places, decoded. */
  readonly params: Readonly<Record<string, string>>;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    found: { query: URLSearchParams; params: Readonly<Record<string, string>> },
  ) {
    this.request = request;
    this.response = response;
    this.query = found.query;
    this.params = found.params;
  }

  param(name: string): string {
    return this.params[name] ?? "";
  }

  /** The first of that name; an empty one counts as missing, as gin has it. */
  required(name: string): string {
    const value = this.query.get(name);
    if (value) return value;
    throw new ExecdError(400, "MISSING_QUERY", `missing query parameter '${name}'`);
  }

  json(value: unknown, status = 200): void {
    this.#send(status, "application/json; charset=utf-8", goEncode(value));
  }

  text(value: string | Buffer, status = 200): void {
    this.#send(status, "text/plain; charset=utf-8", value);
  }

  /** Success without a word. */
  done(): void {
    this.response.writeHead(200, { "content-length": 0 }).end();
  }

  /** In execd's shape. Once the answer has begun, only the body can still tell: that is how a stock execd's late failures look. */
  fail(error: ExecdError): void {
    const body = goEncode({ code: error.code || undefined, message: error.message || undefined });
    if (!this.response.headersSent) this.#send(error.status, "application/json; charset=utf-8", body);
    else if (!this.response.writableEnded) this.response.end(body);
  }

  #send(status: number, type: string, body: string | Buffer): void {
    const bytes = Buffer.from(body as string);
    this.response.writeHead(status, { "content-type": type, "content-length": bytes.length }).end(bytes);
  }
}
