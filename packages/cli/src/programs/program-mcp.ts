import type { Command } from "commander";
import { type Finish, gather, subcommand } from "../base/index.ts";

/** `countersign mcp`, `acp`: what a client starts and talks to on stdin and stdout. */
export function addMcp(program: Command, finish: Finish): void {
  const mcp = subcommand(
    program,
    "mcp",
    "Be an MCP server on stdin and stdout: our tools, or another server's behind the gate",
    "countersign mcp --proxy --name files -- npx -y @modelcontextprotocol/server-filesystem .",
  )
    .argument("[server...]", "with --proxy: the server to start, behind `--`")
    .option("--proxy", "stand in front of another server: its tools are called only when that is permitted")
    .option("--name <name>", "what policy, cards and receipts call that server (default: after its program or host)")
    .option(
      "--server-url <url>",
      "with --proxy: a server that is reached over streamable HTTP, instead of one to start",
    )
    .option("--header <header>", "for --server-url, `Name: value`; ${VARIABLE} is taken from the environment", gather)
    .passThroughOptions()
    .addHelpText("after", "\nWith --proxy it ends as the server ends; 125 when that can't be started.");
  mcp.action(async (words: string[]) =>
    finish(await (await import("../commands/mcp.ts")).mcp(words, mcp.optsWithGlobals())),
  );
  const acp = subcommand(
    program,
    "acp",
    "Stand between an editor and its agent (Agent Client Protocol, on stdin and stdout)",
    "countersign acp -- gemini --acp",
  )
    .argument("<agent...>", "the agent to start, behind `--`")
    .passThroughOptions()
    .addHelpText("after", "\nIt ends as the agent ends; 125 when that can't be started.");
  acp.action(async (words: string[]) =>
    finish(await (await import("../commands/acp.ts")).acp(words, acp.optsWithGlobals())),
  );
}
