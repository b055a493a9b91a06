import { CliError, EXIT, type GlobalOptions, localHomeOf } from "../base/index.ts";
import type { Upstream } from "../proxies/index.ts";

export interface McpOptions extends GlobalOptions {
  readonly proxy?: boolean;
  readonly name?: string;
  readonly serverUrl?: string;
  readonly header?: readonly string[];
}

/** Our tools for an MCP client, or, with `--proxy`, another server's behind our gate. */
export async function mcp(words: readonly string[], options: McpOptions): Promise<number> {
  const homeDir = localHomeOf(options);
  const { proxy, serverUrl, header = [] } = options;
  if (!proxy) {
    if (words.length > 0 || options.name !== undefined || serverUrl !== undefined)
      throw usage("A server, its address and its name belong to --proxy.");
    return await (await import("../mcp/serve-tools.ts")).serveTools(homeDir);
  }
  if ((words.length === 0) === (serverUrl === undefined))
    throw usage("Say which server: mcp --proxy -- <server…>, or mcp --proxy --server-url URL.");
  if (header.length > 0 && serverUrl === undefined) throw usage("--header belongs to --server-url.");
  const { serverName } = await import("../mcp/proxy/server-name.ts");
  const url = serverUrl === undefined ? undefined : readUrl(serverUrl);
  const server = options.name ?? (url ? url.hostname : serverName(words));
  if (server === "" || server.length > 256) throw usage("A name has 1 to 256 characters.");
  const upstream = url
    ? await reach(url, header)
    : await (await import("../proxies/child-server.ts")).startServer(words);
  return await (await import("../mcp/proxy/run-proxy.ts")).runProxy(upstream, { homeDir, server });
}

async function reach(url: URL, given: readonly string[]): Promise<Upstream> {
  const headers = Object.fromEntries(given.map(readHeader));
  return (await import("../mcp/proxy/remote-server.ts")).reachServer(url, headers);
}

function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (url && (url.protocol === "https:" || url.protocol === "http:")) return url;
  throw usage(`${text} isn't an address of a server: give https://… or http://….`);
}

/** `Name: value`, with `${VARIABLE}` from the environment: a secret in an argument is one for everybody who lists processes. */
function readHeader(text: string): [name: string, value: string] {
  const [, name, value] = /^([\w-]+): *(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw usage("A header is `Name: value`.");
  return [name, value.replace(/\$\{(\w+)\}/g, (_, variable: string) => fromEnv(variable))];
}

function fromEnv(variable: string): string {
  const value = process.env[variable];
  if (value) return value;
  throw usage(`The environment has no ${variable}.`);
}

function usage(message: string): CliError {
  return new CliError("FAILED", message, { exitCode: EXIT.usage });
}
