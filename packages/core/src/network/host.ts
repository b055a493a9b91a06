import { isIPv4, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";

/** A host as somebody wrote it, in the one form in which hosts are compared and shown. */
export interface Host {
  readonly kind: "name" | "address";
  /** A name is in ASCII and lower case, without the root's dot; an address is as the kernel writes it. */
  readonly text: string;
}

const LONGEST_NAME = 253;
/** The underscore isn't a host name's, but machines have it. */
const NAME = /^(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
/** Written in another way than ours: `%` would be undone by the URL parser, the others end a host. */
const NOT_IN_A_HOST = /[\s%/?#@\\:[\]\0]/;

/** undefined: not a host that can be asked for. IPv6 may stand in brackets. */
export function readHost(text: string): Host | undefined {
  if (text.length === 0 || text.length > LONGEST_NAME + 1) return undefined;
  const bare = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  if (isIPv6(bare)) return readIPv6(bare);
  if (NOT_IN_A_HOST.test(text)) return undefined;
  // This also turns 127.1, 0x7f000001 and 2130706433 into the address that getaddrinfo would read there.
  const ascii = domainToASCII(text).replace(/\.$/, "");
  if (isIPv4(ascii)) return { kind: "address", text: ascii };
  if (ascii.length > LONGEST_NAME || !NAME.test(ascii)) return undefined;
  return { kind: "name", text: ascii };
}

/** An address with a zone belongs to a link of this machine: nobody inside has a reason to name one. */
function readIPv6(text: string): Host | undefined {
  if (text.includes("%")) return undefined;
  const address = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(address);
  return { kind: "address", text: mapped ? mappedIPv4(mapped) : address };
}

/** The kernel treats an IPv4-mapped address as the IPv4 address, and so do we. */
function mappedIPv4([, high, low]: RegExpExecArray): string {
  const groups = [high, low].map((group) => Number.parseInt(group as string, 16));
  return groups.flatMap((group) => [group >> 8, group & 0xff]).join(".");
}

/** `host:port` as CONNECT and absolute URLs have it. */
export function readAuthority(
  text: string,
  defaultPort?: number,
): { readonly host: string; readonly port: number } | undefined {
  const parts = /^(\[[^\]]*\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text);
  if (!parts) return undefined;
  const port = parts[2] === undefined ? defaultPort : Number(parts[2]);
  if (port === undefined || port < 1 || port > 65_535) return undefined;
  return { host: parts[1] as string, port };
}

export function showAuthority(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
