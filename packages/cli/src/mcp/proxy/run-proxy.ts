import { uuidv7 } from "uuidv7";
import { spawnProxied, type Upstream } from "../../proxies/index.ts";
import { McpProxy } from "./proxy.ts";

export interface ProxyPlan {
  readonly homeDir: string;
  readonly server: string;
}

/** Stands before a server until it or the client ends. Ends as the server does. */
export async function runProxy(upstream: Upstream, { homeDir, server }: ProxyPlan): Promise<number> {
  return await spawnProxied(upstream, {
    title: `The MCP server ${server}`,
    relay: (ends) => new McpProxy({ homeDir, server, session: `mcp:${uuidv7()}`, ...ends }),
  });
}
