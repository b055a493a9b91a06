import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import { type GlobalOptions, homeDirOf } from "../settings.ts";

export interface McpOptions extends GlobalOptions {
  readonly proxy?: boolean;
  readonly name?: string;
}

/** Our tools for an MCP client, or, with `--proxy`, another server's behind our gate. */
export async function mcp(words: readonly string[], options: McpOptions): Promise<number> {
  const homeDir = homeDirOf(options);
  if (!options.proxy) {
    if (words.length > 0 || options.name !== undefined) throw usage("A server, and its name, belong to --proxy.");
    return await (await import("../mcp/serve-tools.ts")).serveTools(homeDir);
  }
  if (words.length === 0) throw usage("Say which server to start: mcp --proxy -- <server…>.");
  const { serverName } = await import("../mcp/proxy/server-name.ts");
  const { runProxy } = await import("../mcp/proxy/run-proxy.ts");
  const server = options.name ?? serverName(words);
  if (server === "" || server.length > 256) throw usage("A name has 1 to 256 characters.");
  return await runProxy({ homeDir, server, words });
}

function usage(message: string): CliError {
  return new CliError("FAILED", message, { exitCode: EXIT.usage });
}
