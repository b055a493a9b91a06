import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { CliError, EXIT } from "../../base/index.ts";
import { CONNECTION_CLOSED, type Ended, errorResponse, isObject, type Upstream } from "../../proxies/index.ts";

/** Messages that wait to be handed on; a server that sends more without end is given up. */
const MAX_WAITING = 10_000;

/** A server that is reached over streamable HTTP. The official transport knows its sessions and streams. */
export function reachServer(url: URL, headers: Readonly<Record<string, string>>): Upstream {
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  const ended = Promise.withResolvers<Ended>();
  const waiting: JSONRPCMessage[] = [];
  let news = Promise.withResolvers<void>();
  let open = true;
  const close = () => {
    open = false;
    news.resolve();
    ended.resolve({ exitCode: EXIT.ok, how: "its connection was closed" });
  };
  transport.onclose = close;
  let flooded: CliError | undefined;
  transport.onmessage = (message) => {
    if (waiting.length < MAX_WAITING) waiting.push(message);
    else flooded = new CliError("LIMIT", `The MCP server sent more than ${MAX_WAITING} unread messages.`);
    news.resolve();
  };
  const started = transport.start();
  return {
    ended: ended.promise,
    async send(line) {
      await started;
      const message = JSON.parse(line) as JSONRPCMessage;
      const sent = deliver(transport, message);
      // Its answer may take minutes, and what comes after it (a cancellation, for one) must not wait for that.
      if (!isRequest(message) || message.method === "initialize") await sent;
    },
    async receive(take) {
      while (!flooded) {
        const message = waiting.shift();
        if (message) {
          noteVersion(transport, message);
          await take(Buffer.from(JSON.stringify(message)));
        } else if (open) {
          await news.promise;
          news = Promise.withResolvers<void>();
        } else break;
      }
      return flooded;
    },
    async stop() {
      await transport.terminateSession().catch(() => undefined);
      await transport.close();
      close();
    },
  };
}

function isRequest(message: unknown): message is { readonly id: unknown; readonly method: unknown } {
  return isObject(message) && "method" in message && "id" in message;
}

/** There is no stream that could break: each message is told on its own that it wasn't taken. */
async function deliver(transport: StreamableHTTPClientTransport, message: JSONRPCMessage): Promise<void> {
  try {
    await transport.send(message);
  } catch (cause) {
    if (!isRequest(message)) return;
    const told = `The MCP server can't be reached: ${cause instanceof Error ? cause.message.slice(0, 200) : ""}`;
    transport.onmessage?.(JSON.parse(errorResponse(message.id, CONNECTION_CLOSED, told)) as JSONRPCMessage);
  }
}

/** Every request after the first names the version that was agreed on. */
function noteVersion(transport: StreamableHTTPClientTransport, message: JSONRPCMessage): void {
  if (transport.protocolVersion !== undefined || !("result" in message)) return;
  const { protocolVersion } = message.result as { readonly protocolVersion?: unknown };
  if (typeof protocolVersion === "string") transport.setProtocolVersion(protocolVersion);
}
