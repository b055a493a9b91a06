/**
 * Netlink's bytes, in the machine's own order (little-endian on all that we run on):
 *
 *     length (4) type (2) flags (2) sequence (4) port (4)      nlmsghdr
 *     family (1) version (1) resource (2, big-endian)          nfgenmsg
 *     length (2) type (2) value, padded to 4 …                 attributes
 */
const HEADER_BYTES = 16;
const FAMILY_BYTES = 4;
const ATTRIBUTE_BYTES = 4;

export const REQUEST = 1;
export const ACK = 4;
/** NLM_F_ROOT and NLM_F_MATCH. */
export const DUMP = 0x300;

const NESTED = 0x8000;
/** NLA_F_NESTED and NLA_F_NET_BYTEORDER aren't part of it. */
const TYPE_MASK = 0x3fff;

export const ERROR = 2;
export const DONE = 3;

export interface Message {
  readonly type: number;
  readonly flags: number;
  readonly sequence: number;
  /** What follows the header. */
  readonly body: Buffer;
}

/** The messages of a datagram. One whose length makes no sense ends it: nothing behind it can be found. */
export function* messagesIn(datagram: Buffer): Generator<Message> {
  for (let at = 0; at + HEADER_BYTES <= datagram.length; ) {
    const length = datagram.readUInt32LE(at);
    if (length < HEADER_BYTES || at + length > datagram.length) return;
    yield {
      type: datagram.readUInt16LE(at + 4),
      flags: datagram.readUInt16LE(at + 6),
      sequence: datagram.readUInt32LE(at + 8),
      body: datagram.subarray(at + HEADER_BYTES, at + length),
    };
    at += align(length);
  }
}

/** By type; of one that stands there twice, the last. Those of netfilter's messages stand behind its own header. */
export function attributesOf(body: Buffer, from = FAMILY_BYTES): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  for (let at = from; at + ATTRIBUTE_BYTES <= body.length; ) {
    const length = body.readUInt16LE(at);
    if (length < ATTRIBUTE_BYTES || at + length > body.length) return found;
    found.set(body.readUInt16LE(at + 2) & TYPE_MASK, body.subarray(at + ATTRIBUTE_BYTES, at + length));
    at += align(length);
  }
  return found;
}

/** Of an attribute that holds others. */
export function nestedIn(parent: ReadonlyMap<number, Buffer>, type: number): Map<number, Buffer> {
  const value = parent.get(type);
  return value ? attributesOf(value, 0) : new Map();
}

export function attribute(type: number, value: Uint8Array): Buffer {
  const bytes = Buffer.alloc(ATTRIBUTE_BYTES + align(value.length));
  bytes.writeUInt16LE(ATTRIBUTE_BYTES + value.length);
  bytes.writeUInt16LE(type, 2);
  bytes.set(value, ATTRIBUTE_BYTES);
  return bytes;
}

export function nested(type: number, ...attributes: readonly Uint8Array[]): Buffer {
  return attribute(type | NESTED, Buffer.concat(attributes));
}

/** Numbers in netfilter's attributes are big-endian. */
export function be16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function be32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

interface Request {
  readonly type: number;
  readonly flags: number;
  readonly sequence: number;
  /** AF_UNSPEC, AF_INET … */
  readonly family?: number;
  readonly resource?: number;
  readonly attributes?: readonly Uint8Array[];
}

export function request({ type, flags, sequence, family = 0, resource = 0, attributes = [] }: Request): Buffer {
  const head = Buffer.alloc(HEADER_BYTES + FAMILY_BYTES);
  const body = Buffer.concat(attributes);
  head.writeUInt32LE(head.length + body.length);
  head.writeUInt16LE(type, 4);
  head.writeUInt16LE(flags, 6);
  head.writeUInt32LE(sequence, 8);
  head.writeUInt8(family, HEADER_BYTES);
  head.writeUInt16BE(resource, HEADER_BYTES + 2);
  return Buffer.concat([head, body]);
}

/** The errno of an ERROR message: 0 is an acknowledgement. */
export function errnoOf({ body }: Message): number {
  return body.length < 4 ? -1 : -body.readInt32LE(0);
}

function align(length: number): number {
  return (length + 3) & ~3;
}
