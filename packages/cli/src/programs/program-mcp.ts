import type { Command } from "commander";
import { type Finish, gather, subcommand } from "../base/index.ts";

/** `countersign mcp`, `acp`: what a client starts and talks to on stdin and stdout. */
export function addMcp(program: Command, finish: Finish): void {
  const mcp = subcommand(
    program,
    "mcp",
    "Serve MCP on stdio: our tools, or another server's, gated",
    "countersign mcp --proxy --name files -- npx -y @modelcontextprotocol/server-filesystem .",
  )
    .argument("[server...]", "with --proxy: the server to start, after `--`")
    .option("--proxy", "gate another server: its tools are called only if permitted")
    .option("--name <name>", "the server's name in policy, cards and receipts (default: its program or host)")
    .option("--server-url <url>", "with --proxy: a server to reach over streamable HTTP instead of starting one")
    .option(
      "--header <header>",
      "header for --server-url, `Name: value`; ${VARIABLE} is read from the environment",
      gather,
    )
    .passThroughOptions()
    .addHelpText("after", "\nWith --proxy, exits with the server's code, or 125 if it can't be started.");
  mcp.action(async (words: string[]) =>
    finish(await (await import("../commands/mcp.ts")).mcp(words, mcp.optsWithGlobals())),
  );
  const acp = subcommand(
    program,
    "acp",
    "Gate an agent between it and its editor (ACP on stdio)",
    "countersign acp -- gemini --acp",
  )
    .argument("<agent...>", "the agent to start, after `--`")
    .passThroughOptions()
    .addHelpText("after", "\nExits with the agent's code, or 125 if it can't be started.");
  acp.action(async (words: string[]) =>
    finish(await (await import("../commands/acp.ts")).acp(words, acp.optsWithGlobals())),
  );
}
