import { visible } from "@countersign/protocol/text";
import { type CliError, EXIT } from "../base/index.ts";
import { pump, writerTo } from "./streams.ts";
import type { Ended, Upstream } from "./upstream.ts";

/** The two ends of a relay. Each takes one line without its end, and resolves when there is room for more. */
export interface Ends {
  toServer(line: string): Promise<void>;
  toClient(line: string | Uint8Array): Promise<void>;
  warn(sentence: string): void;
}

/** What stands between: it is given each line of either side. */
export interface Relay {
  fromServer(line: Buffer): Promise<void>;
  fromClient(line: Buffer): Promise<void>;
  serverEnded(how: string): Promise<void>;
  /** Nobody is there any more who could use an answer, or give one. */
  end(reason: string): Promise<void>;
}

export interface Between {
  /** How people call the one whom the client wants to talk to. */
  readonly title: string;
  readonly relay: (ends: Ends) => Relay;
}

/** What a server wrote before it ended may still be on its way. */
const LAST_WORDS_MS = 2_000;

/** Stands before a server, on stdin and stdout, until it or the client ends. Ends as the server does. */
export async function spawnProxied(upstream: Upstream, { title, relay: makeRelay }: Between): Promise<number> {
  const warn = (sentence: string) => process.stderr.write(`countersign: ${visible(sentence)}\n`);
  const toServer = (line: string) => upstream.send(line);
  const relay = makeRelay({ toServer, toClient: writerTo(process.stdout), warn });
  const heard = upstream.receive((line) => relay.fromServer(line));
  const asked = pump(process.stdin, (line) => relay.fromClient(line));
  const serverEnded = async (): Promise<First> => ({ ended: await upstream.ended });
  const first = await Promise.race<First>([
    serverEnded(),
    // The end of its output alone isn't the server's: it ends a moment later.
    heard.then((problem) => (problem ? { problem } : serverEnded())),
    asked.then((problem) => ({ problem })),
    signalled().then(() => ({ problem: undefined })),
  ]);
  try {
    if ("ended" in first) return await afterServer(first.ended, { heard, relay, warn, title });
    if (first.problem) warn(first.problem.message);
    await relay.end("The client went away");
    await upstream.stop();
    return first.problem ? EXIT.failed : EXIT.ok;
  } finally {
    process.stdin.destroy();
  }
}

type First = { readonly ended: Ended } | { readonly problem: CliError | undefined };

interface Around {
  readonly heard: Promise<unknown>;
  readonly relay: Relay;
  readonly title: string;
  warn(sentence: string): void;
}

async function afterServer({ exitCode, how }: Ended, { heard, relay, title, warn }: Around): Promise<number> {
  await Promise.race([heard, new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS).unref())]);
  const told = `${title} ended (${how})`;
  await relay.serverEnded(told);
  if (exitCode !== 0) warn(`${told}.`);
  return exitCode;
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}
