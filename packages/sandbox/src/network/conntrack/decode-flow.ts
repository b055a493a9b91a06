import { attributesOf, nestedIn } from "../netlink/index.ts";
import { addressText, hasPorts } from "../text/index.ts";

/** linux/netfilter/nfnetlink_conntrack.h */
const CTA = { TUPLE_ORIG: 1, MARK: 8, COUNTERS_ORIG: 9, ID: 12, TIMESTAMP: 20 };
const TUPLE = { IP: 1, PROTO: 2 };
const IP = { V4_SRC: 1, V4_DST: 2, V6_SRC: 3, V6_DST: 4 };
const PROTO = { NUM: 1, SRC_PORT: 2, DST_PORT: 3 };
const COUNTERS = { BYTES: 2 };
const TIMESTAMP = { START: 1, STOP: 2 };

/** Who asked whom for what, as the one that asked put it. Ports are 0 where the protocol has none. */
export interface Tuple {
  readonly protocol: number;
  readonly src: string;
  readonly srcPort: number;
  readonly dst: string;
  readonly dstPort: number;
}

/** A flow as conntrack has it. */
export interface TrackedFlow extends Tuple {
  readonly mark: number;
  /** The kernel's: no other flow has it while this one is there. */
  readonly id: number;
  /** What went the way of its first packet, headers of IP included. Undefined where nobody counted. */
  readonly bytesOut: number | undefined;
  /** Undefined where nobody wrote it down. */
  readonly startedAtNs: bigint | undefined;
  readonly endedAtNs: bigint | undefined;
}

/** Undefined of a message that lacks what makes a flow. */
export function decodeFlow(body: Buffer): TrackedFlow | undefined {
  const attributes = attributesOf(body);
  const tuple = decodeTuple(nestedIn(attributes, CTA.TUPLE_ORIG));
  const id = attributes.get(CTA.ID);
  if (!tuple || id?.length !== 4) return undefined;
  const mark = attributes.get(CTA.MARK);
  const bytes = number64(nestedIn(attributes, CTA.COUNTERS_ORIG).get(COUNTERS.BYTES));
  const times = nestedIn(attributes, CTA.TIMESTAMP);
  return {
    ...tuple,
    mark: mark?.length === 4 ? mark.readUInt32BE() : 0,
    id: id.readUInt32BE(),
    bytesOut: bytes === undefined ? undefined : Number(bytes),
    startedAtNs: number64(times.get(TIMESTAMP.START)),
    endedAtNs: number64(times.get(TIMESTAMP.STOP)),
  };
}

function decodeTuple(tuple: ReadonlyMap<number, Buffer>): Tuple | undefined {
  const [ip, proto] = [nestedIn(tuple, TUPLE.IP), nestedIn(tuple, TUPLE.PROTO)];
  const src = addressText(ip.get(IP.V4_SRC) ?? ip.get(IP.V6_SRC) ?? Buffer.alloc(0));
  const dst = addressText(ip.get(IP.V4_DST) ?? ip.get(IP.V6_DST) ?? Buffer.alloc(0));
  const protocol = proto.get(PROTO.NUM)?.[0];
  if (src === undefined || dst === undefined || protocol === undefined) return undefined;
  const port = (type: number) => (hasPorts(protocol) ? (number16(proto.get(type)) ?? 0) : 0);
  return { protocol, src, srcPort: port(PROTO.SRC_PORT), dst, dstPort: port(PROTO.DST_PORT) };
}

function number16(value: Buffer | undefined): number | undefined {
  return value?.length === 2 ? value.readUInt16BE() : undefined;
}

function number64(value: Buffer | undefined): bigint | undefined {
  return value?.length === 8 ? value.readBigUInt64BE() : undefined;
}

export function tupleKey({ protocol, src, srcPort, dst, dstPort }: Tuple): string {
  return `${protocol} ${src} ${srcPort} ${dst} ${dstPort}`;
}
