import { BlockList, isIPv4 } from "node:net";
import { CARRIES_IPV4, NEVER, PRIVATE } from "./address-ranges.ts";

const never = NEVER.map(({ what, ranges }) => ({ what, list: listOf(ranges) }));
const privateList = listOf(PRIVATE);
const carriers = CARRIES_IPV4.map(({ range, at }) => ({ list: listOf([range]), at }));

/** What an address is that mustn't be reached; undefined when it may be. `own`: every address of this machine. */
export function whyRefused(
  address: string,
  { privateToo, own }: { readonly privateToo: boolean; readonly own: ReadonlySet<string> },
): string | undefined {
  for (const meant of [address, ...carriedIn(address)]) {
    const found = never.find(({ list }) => has(list, meant));
    if (found) return found.what;
    if (own.has(meant)) return "the machine itself";
    if (!privateToo && has(privateList, meant)) return "a private address";
  }
  return undefined;
}

/** The IPv4 addresses to which an IPv6 address leads. */
function carriedIn(address: string): string[] {
  if (isIPv4(address)) return [];
  const bytes = bytesOf(address);
  const found = carriers.filter(({ list }) => has(list, address)).map(({ at }) => at);
  if (isIsatap(bytes)) found.push(12);
  return found.map((at) => bytes.slice(at, at + 4).join("."));
}

/** RFC 5214: any prefix, then [02]00:5efe and the IPv4 address. */
function isIsatap(bytes: readonly number[]): boolean {
  return ((bytes[8] as number) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}

function bytesOf(ipv6: string): number[] {
  const [head, tail] = new URL(`http://[${ipv6}]`).hostname.slice(1, -1).split("::");
  const before = groupsOf(head);
  const after = groupsOf(tail);
  const groups = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}

function groupsOf(text: string | undefined): number[] {
  return text ? text.split(":").map((group) => Number.parseInt(group, 16)) : [];
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net, prefix] = range.split("/") as [string, string];
    list.addSubnet(net, Number(prefix), familyOf(net));
  }
  return list;
}

function has(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv4(address) ? "ipv4" : "ipv6";
}
