import { REACHES, type Reach } from "@countersign/vocabulary";
import * as z from "zod";
import { checkFound, type Dialer, readHost, systemDialer } from "../network/index.ts";
import { NotifyError } from "./notify-error.ts";

/**
 * How far the hub goes to tell somebody. Whoever names an address decides what the hub sends a request to, so by default it
 * is only what is on the internet; `private`: also the local network; `this-machine`: that, and the machine itself.
 * Where clouds keep a machine's credentials is never reached.
 */
export const reachSchema = z.enum(REACHES);

const MAX_URL = 2_048;

/** An address that may be asked for at all; why not, as an error. Without TLS only what doesn't leave the machine. */
export function readTarget(text: string, reach: Reach): URL {
  const url = URL.canParse(text) && text.length <= MAX_URL ? new URL(text) : undefined;
  if (!url || !readHost(url.hostname)) throw new NotifyError("URL_REFUSED", "It isn't the address of a server");
  if (url.username !== "" || url.password !== "")
    throw new NotifyError("URL_REFUSED", "A name and a password don't belong in an address");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && reach === "this-machine"))
    throw new NotifyError("URL_REFUSED", "It must begin with https://");
  return url;
}

/** The addresses of its host that may be connected to: looked up once, and each checked. */
export async function addressesOf(url: URL, reach: Reach, dialer: Dialer = systemDialer): Promise<readonly string[]> {
  const host = readHost(url.hostname);
  if (!host) throw new NotifyError("URL_REFUSED", "It isn't the address of a server");
  const found = host.kind === "address" ? [host.text] : await resolve(host.text, dialer);
  const checked = await Promise.all(found.map((address) => checkOne(address, { url, reach, dialer })));
  const allowed = found.filter((_, index) => checked[index] === undefined);
  if (allowed.length > 0) return allowed;
  const refused = checked.find((why) => why !== NOWHERE);
  throw refused === undefined
    ? new NotifyError("UNREACHABLE", `${host.text} can't be reached (no route)`)
    : new NotifyError("ADDRESS_REFUSED", `${host.text} is ${refused}`);
}

const NOWHERE = "nowhere";

/** Why this one may not be connected to. */
async function checkOne(
  address: string,
  { url, reach, dialer }: { readonly url: URL; readonly reach: Reach; readonly dialer: Dialer },
): Promise<string | undefined> {
  const { allowed, refused = NOWHERE } = await checkFound([address], { dialer, privateToo: reach !== "public" });
  if (allowed.length === 0) return reach === "this-machine" && refused === "the machine itself" ? undefined : refused;
  return url.protocol === "https:" ? undefined : "another machine, and would be told without TLS";
}

async function resolve(name: string, dialer: Dialer): Promise<readonly string[]> {
  try {
    return await dialer.resolve(name);
  } catch (cause) {
    throw new NotifyError("UNREACHABLE", `${name} isn't known`, { cause });
  }
}
