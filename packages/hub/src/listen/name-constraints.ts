/** Private IPv4 networks: RFC 1918, RFC 6598 (also Tailscale's), link-local, loopback. */
const IPV4 = ["10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"];
/** RFC 4193 and link-local, each as its first bytes and the number of bits that count. */
const IPV6 = [
  { start: [0xfc, 0x00], bits: 7 },
  { start: [0xfe, 0x80], bits: 10 },
];
/** RFC 6762. Without a permitted name every name would be allowed. */
const NAME = "local";

export const NAME_CONSTRAINTS_OID = "2.5.29.30";

/**
 * Returns name constraints (RFC 5280, 4.2.1.10) that limit our CA to addresses of private networks. A phone that trusts
 * the CA trusts it for nothing else, so a thief of its key can't pose as a public site.
 *
 *     NameConstraints ::= SEQUENCE { permittedSubtrees [0] SEQUENCE OF SEQUENCE { base GeneralName } }
 *     GeneralName: dNSName [2], iPAddress [7] = address and mask
 */
export function privateNetworksOnly(): Uint8Array<ArrayBuffer> {
  const bases = [
    der(0x82, [...Buffer.from(NAME, "latin1")]),
    ...IPV4.map((network) => der(0x87, ipv4(network))),
    ...IPV6.map(({ start, bits }) => der(0x87, [...padded(start, 16), ...mask(bits, 16)])),
  ];
  return new Uint8Array(
    der(
      0x30,
      der(
        0xa0,
        bases.flatMap((base) => der(0x30, base)),
      ),
    ),
  );
}

/** Whether our CA may issue for this IPv4 or IPv6 address. */
export function isPrivateAddress(address: string): boolean {
  const bytes = bytesOf(address);
  if (bytes === undefined) return false;
  const ranges = bytes.length === 4 ? IPV4.map(ipv4) : IPV6.map((r) => [...padded(r.start, 16), ...mask(r.bits, 16)]);
  return ranges.some((range) => bytes.every((byte, at) => (byte & (range[bytes.length + at] ?? 0)) === range[at]));
}

function bytesOf(address: string): number[] | undefined {
  if (/^\d+(\.\d+){3}$/.test(address)) return address.split(".").map(Number);
  const url = URL.parse(`http://[${address}]`);
  if (!url) return undefined;
  const [head = "", tail = ""] = url.hostname.slice(1, -1).split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":")).map((group) => Number.parseInt(group, 16));
  const [before, after] = [groups(head), groups(tail)];
  const all = [...before, ...new Array(8 - before.length - after.length).fill(0), ...after];
  return all.flatMap((group) => [group >> 8, group & 0xff]);
}

function ipv4(network: string): number[] {
  const [address = "", bits = ""] = network.split("/");
  return [...address.split(".").map(Number), ...mask(Number(bits), 4)];
}

function mask(bits: number, length: number): number[] {
  return Array.from({ length }, (_, at) => 0xff & (0xff00 >> Math.min(8, Math.max(0, bits - at * 8))));
}

function padded(start: readonly number[], length: number): number[] {
  return Array.from({ length }, (_, at) => start[at] ?? 0);
}

/** Encodes a DER element (X.690, 8.1): tag, length (short form, or 0x81 and one byte, or 0x82 and two), content. */
function der(tag: number, content: readonly number[]): number[] {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return [tag, ...size, ...content];
}
