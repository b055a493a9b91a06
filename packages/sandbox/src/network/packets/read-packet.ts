import type { Tuple } from "../conntrack/index.ts";
import { addressText, hasPorts } from "../text/index.ts";

export interface ReadPacket extends Tuple {
  /** As IP's header says: what of it was cut away is part of it. */
  readonly bytes: number;
  /** Behind the header of the transport, as far as it was copied; empty where that isn't UDP's. */
  readonly payload: Buffer;
}

const UDP = 17;
const UDP_HEADER_BYTES = 8;
/** Hop-by-hop, routing, destination options: next header (1), length in 8 bytes without the first 8 (1), … */
const V6_OPTIONS = new Set([0, 43, 60]);
const V6_FRAGMENT = 44;
const MOST_V6_HEADERS = 8;

/** A packet from its IP header on, maybe cut. Undefined where it is too short to say where it goes. */
export function readPacket(packet: Buffer): ReadPacket | undefined {
  const version = (packet[0] ?? 0) >> 4;
  if (version === 4) return readV4(packet);
  return version === 6 ? readV6(packet) : undefined;
}

/** version and words (1), …, length at 2, protocol at 9, source at 12, destination at 16 */
function readV4(packet: Buffer): ReadPacket | undefined {
  const headerBytes = 4 * ((packet[0] ?? 0) & 0xf);
  if (packet.length < 20 || headerBytes < 20) return undefined;
  const [src, dst] = [addressText(packet.subarray(12, 16)), addressText(packet.subarray(16, 20))];
  if (src === undefined || dst === undefined) return undefined;
  const isLaterFragment = (packet.readUInt16BE(6) & 0x1fff) !== 0;
  const transport = isLaterFragment ? Buffer.alloc(0) : packet.subarray(headerBytes);
  return { src, dst, bytes: packet.readUInt16BE(2), ...readTransport(packet.readUInt8(9), transport) };
}

/** version … (4), length of what follows (2), next header (1), hops (1), source (16), destination (16) */
function readV6(packet: Buffer): ReadPacket | undefined {
  if (packet.length < 40) return undefined;
  const [src, dst] = [addressText(packet.subarray(8, 24)), addressText(packet.subarray(24, 40))];
  if (src === undefined || dst === undefined) return undefined;
  let [protocol, at] = [packet.readUInt8(6), 40];
  for (let headers = 0; headers < MOST_V6_HEADERS && at + 2 <= packet.length; headers += 1) {
    if (!V6_OPTIONS.has(protocol) && protocol !== V6_FRAGMENT) break;
    const length = protocol === V6_FRAGMENT ? 8 : 8 * (packet.readUInt8(at + 1) + 1);
    protocol = packet.readUInt8(at);
    at += length;
  }
  return { src, dst, bytes: 40 + packet.readUInt16BE(4), ...readTransport(protocol, packet.subarray(at)) };
}

function readTransport(
  protocol: number,
  bytes: Buffer,
): Pick<ReadPacket, "protocol" | "srcPort" | "dstPort" | "payload"> {
  const knowsPorts = hasPorts(protocol) && bytes.length >= 4;
  return {
    protocol,
    srcPort: knowsPorts ? bytes.readUInt16BE(0) : 0,
    dstPort: knowsPorts ? bytes.readUInt16BE(2) : 0,
    payload: protocol === UDP ? bytes.subarray(UDP_HEADER_BYTES) : Buffer.alloc(0),
  };
}
