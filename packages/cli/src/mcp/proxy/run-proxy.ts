import { visible } from "@countersign/sdk";
import { uuidv7 } from "uuidv7";
import type { CliError } from "../../cli-error.ts";
import { EXIT } from "../../exit-codes.ts";
import { McpProxy } from "./proxy.ts";
import { pump, writerTo } from "./streams.ts";
import type { Ended, Upstream } from "./upstream.ts";

export interface ProxyPlan {
  readonly homeDir: string;
  readonly server: string;
}

/** What a server wrote before it ended may still be on its way. */
const LAST_WORDS_MS = 2_000;

/** Stands before a server until it or the client ends. Ends as the server does. */
export async function runProxy(upstream: Upstream, { homeDir, server }: ProxyPlan): Promise<number> {
  const warn = (sentence: string) => process.stderr.write(`countersign: ${visible(sentence)}\n`);
  const toServer = (line: string) => upstream.send(line);
  const toClient = writerTo(process.stdout);
  const proxy = new McpProxy({ homeDir, server, session: `mcp:${uuidv7()}`, toServer, toClient, warn });
  const heard = upstream.receive((line) => proxy.fromServer(line));
  const asked = pump(process.stdin, (line) => proxy.fromClient(line));
  const serverEnded = async (): Promise<First> => ({ ended: await upstream.ended });
  const first = await Promise.race<First>([
    serverEnded(),
    // The end of its output alone isn't the server's: it ends a moment later.
    heard.then((problem) => (problem ? { problem } : serverEnded())),
    asked.then((problem) => ({ problem })),
    signalled().then(() => ({ problem: undefined })),
  ]);
  try {
    if ("ended" in first) return await afterServer(first.ended, { heard, proxy, warn, server });
    if (first.problem) warn(first.problem.message);
    await proxy.end("The client went away");
    await upstream.stop();
    return first.problem ? EXIT.failed : EXIT.ok;
  } finally {
    process.stdin.destroy();
  }
}

type First = { readonly ended: Ended } | { readonly problem: CliError | undefined };

interface Around {
  readonly heard: Promise<unknown>;
  readonly proxy: McpProxy;
  readonly server: string;
  warn(sentence: string): void;
}

async function afterServer({ exitCode, how }: Ended, { heard, proxy, server, warn }: Around): Promise<number> {
  await Promise.race([heard, new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS).unref())]);
  const told = `The MCP server ${server} ended (${how})`;
  await proxy.serverEnded(told);
  if (exitCode !== 0) warn(`${told}.`);
  return exitCode;
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}
