import { CliError, type GlobalOptions, homeDirOf, homeFiles, noHub, readIfThere } from "../base/index.ts";
import { isListening } from "./socket.ts";

/** A hub, and what opens its HTTP door. */
export interface HttpHub {
  readonly url: string;
  readonly token: string;
}

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** The hub of `--url`, or the one that runs for the home; throws NO_HUB where there's none. */
export async function findHub(options: GlobalOptions): Promise<HttpHub> {
  const homeDir = homeDirOf(options);
  const url = options.url === undefined ? await urlOfHome(homeDir) : checkUrl(options.url);
  return { url, token: readToken(homeDir) };
}

/**
 * The address file outlives a hub that was killed, and then anybody may listen on that port. So before a token is sent
 * there, the process that wrote the file must live and the socket, which only this user can open, must be held.
 */
async function urlOfHome(homeDir: string): Promise<string> {
  const address = readAddress(homeFiles(homeDir).address);
  if (address === undefined || !isAlive(address.pid) || !(await isListening(homeDir))) throw noHub(homeDir);
  return checkUrl(address.url);
}

function readAddress(path: string): { url: string; pid: number } | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  try {
    const { url, pid } = JSON.parse(text) as { url?: unknown; pid?: unknown };
    if (typeof url === "string" && typeof pid === "number" && Number.isInteger(pid) && pid > 0) return { url, pid };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw new CliError("FAILED", `${path} isn't a hub's address file. Remove it and restart the hub.`);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    // EPERM: it lives, as another user.
    return (cause as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A token must not cross a network in clear. */
function checkUrl(text: string): string {
  const url = URL.parse(text);
  if (url && (url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.has(url.hostname)))) return url.origin;
  const rule = "https://…, or http:// to 127.0.0.1, localhost or [::1]";
  throw new CliError("URL_REFUSED", `${text} can't be used as a hub's address: give ${rule}.`);
}

function readToken(homeDir: string): string {
  const given = process.env.COUNTERSIGN_TOKEN;
  if (given) return given;
  const { token: path } = homeFiles(homeDir);
  const kept = readIfThere(path)?.trim();
  if (kept) return kept;
  throw new CliError("TOKEN_MISSING", `There's no token in ${path}. Set COUNTERSIGN_TOKEN to the hub's token.`);
}
