import type { Command } from "commander";
import { type Finish, subcommand } from "./subcommand.ts";

export function addMcp(program: Command, finish: Finish): void {
  const mcp = subcommand(
    program,
    "mcp",
    "Be an MCP server on stdin and stdout: our tools, or another server's behind the gate",
    "countersign mcp --proxy --name files -- npx -y @modelcontextprotocol/server-filesystem .",
  )
    .argument("[server...]", "with --proxy: the server to start, behind `--`")
    .option("--proxy", "stand in front of another server: its tools are called only when that is permitted")
    .option("--name <name>", "what policy, cards and receipts call that server (default: after its program)")
    .passThroughOptions()
    .addHelpText("after", "\nWith --proxy it ends as the server ends; 125 when that can't be started.");
  mcp.action(async (words: string[]) =>
    finish(await (await import("./commands/mcp.ts")).mcp(words, mcp.optsWithGlobals())),
  );
}
