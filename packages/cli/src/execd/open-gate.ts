import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type HubGate, openHubGate, type ProxyTokens, proveEnforced } from "@countersign/sandbox";
import { CliError, EXIT } from "../base/index.ts";
import { stderrLog } from "./stderr-log.ts";

export interface GateOptions {
  readonly gate?: string;
  readonly gateTokenFile?: string;
  readonly gateCa?: string;
  readonly gateWait?: number;
  readonly gateTerminal?: number;
  readonly execdTokenFile?: string;
  readonly agentTokenFile?: string;
}

interface Before {
  readonly sandboxId: string;
  readonly execd: URL;
}

/** Undefined without --gate. Whatever is missing or unreadable is said before anything is listened on: a gate that can't ask isn't started. */
export async function openGate(options: GateOptions, { sandboxId, execd }: Before): Promise<HubGate | undefined> {
  if (options.gate === undefined) {
    const alone = [options.gateTokenFile, options.gateCa].some((value) => value !== undefined);
    if (alone) throw refused("--gate-token-file and --gate-ca go with --gate URL.");
    return undefined;
  }
  if (options.gateTokenFile === undefined)
    throw refused("--gate needs --gate-token-file: `countersign token create --role agent` makes one.");
  const { enforcement, why } = await proveEnforced({ execd, tokenFile: options.execdTokenFile });
  if (enforcement === "advisory") stderrLog().warn({}, `the gate can be gone round, so it is advisory: ${why}`);
  return await openHubGate({
    ...{ hub: hubOf(options.gate), token: read(options.gateTokenFile, "--gate-token-file").trim() },
    ...(options.gateCa === undefined ? {} : { ca: read(options.gateCa, "--gate-ca") }),
    ...{ sandboxId, execd, enforcement, log: stderrLog() },
    ...(options.gateWait === undefined ? {} : { waitMs: options.gateWait * 1_000 }),
    ...(options.gateTerminal === undefined ? {} : { terminalSeconds: options.gateTerminal * 60 }),
  });
}

/** Undefined: agents' calls pass with the token that they have. */
export function readTokens({ execdTokenFile, agentTokenFile }: GateOptions): ProxyTokens | undefined {
  if (execdTokenFile === undefined && agentTokenFile === undefined) return undefined;
  if (execdTokenFile === undefined || agentTokenFile === undefined)
    throw refused("--execd-token-file and --agent-token-file go together: agents must show a token of their own.");
  const [execd, agent] = [read(execdTokenFile, "--execd-token-file"), read(agentTokenFile, "--agent-token-file")];
  return { execd: execd.trim(), agent: agent.trim() };
}

/** In plain text only to this machine: the token is sent along. */
function hubOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.pathname === "/" && url.search === "" && url.username === "";
  if (isPlain && url.protocol === "https:") return url;
  if (isPlain && url.protocol === "http:" && LOOPBACK.has(url.hostname)) return url;
  throw new CliError(
    "URL_REFUSED",
    "--gate is the hub's address like https://10.0.0.1:18789; http:// only on loopback.",
    {
      exitCode: EXIT.usage,
    },
  );
}

const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);

function read(path: string, option: string): string {
  try {
    const text = readFileSync(resolve(path), "utf8");
    if (text.trim() !== "") return text;
  } catch (cause) {
    throw new CliError("FAILED", `${option} ${path} can't be read (${(cause as Error).message}).`, { cause });
  }
  throw new CliError("FAILED", `${option} ${path} is empty.`);
}

function refused(message: string): CliError {
  return new CliError("FAILED", message, { exitCode: EXIT.usage });
}
