import { basename } from "node:path";
import { spawnProxied, startServer } from "../proxies/index.ts";
import { AcpRelay } from "./relay.ts";

/** Starts an agent that an editor would start, and stands between the two. Ends as the agent does. */
export async function runAcp(homeDir: string, words: readonly string[]): Promise<number> {
  const title = `The agent ${basename(words[0] ?? "")}`;
  return await spawnProxied(await startServer(words), { title, relay: (ends) => new AcpRelay(homeDir, ends) });
}
