import { type ToolPort, toolServer } from "@countersign/hub";
import { calledToolSchema } from "@countersign/protocol/hub";
import { visible } from "@countersign/protocol/text";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { uuidv7 } from "uuidv7";
import { CliError, EXIT } from "../base/index.ts";
import { HubLine } from "../connect/index.ts";

/** Our tools for the MCP client at the other end of stdin and stdout, which starts and ends us. Only the protocol is written there. */
export async function serveTools(homeDir: string): Promise<number> {
  const over = Promise.withResolvers<void>();
  const server = toolServer(overSocket(homeDir));
  server.onclose = () => over.resolve();
  server.onerror = ({ message }) => process.stderr.write(`countersign: not taken: ${visible(message.slice(0, 200))}\n`);
  // The transport doesn't say when its input ends.
  process.stdin.once("end", () => over.resolve());
  process.stdout.on("error", () => over.resolve());
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => over.resolve());
  await server.connect(new StdioServerTransport());
  await over.promise;
  // Aborts what is under way, and so withdraws it.
  await server.close();
  return EXIT.ok;
}

/** A connection for each call: the hub may be restarted in between, and closing one withdraws its call. */
function overSocket(homeDir: string): ToolPort {
  const session = `mcp:${uuidv7()}`;
  return {
    async call({ tool, input }, { signal, onStage }) {
      try {
        const line = await HubLine.open(homeDir);
        const cut = () => line.close();
        signal.addEventListener("abort", cut, { once: true });
        if (signal.aborted) cut();
        try {
          const params = { tool, input, session, cwd: process.cwd() };
          return await line.ask({ method: "callTool", params }, calledToolSchema, { onStage });
        } finally {
          signal.removeEventListener("abort", cut);
          line.close();
        }
      } catch (cause) {
        if (!(cause instanceof CliError)) throw cause;
        return { text: describe(cause), isError: true };
      }
    },
  };
}

/** For the model, which can tell its person. */
function describe({ code, message }: CliError): string {
  if (code === "HUB_GONE") return message;
  return `${message} Nothing was run.`;
}
