import { addressText } from "../text/index.ts";

export interface DnsAnswer {
  /** What was asked, in lower case, without a dot at its end. */
  readonly name: string;
  readonly addresses: readonly { readonly address: string; readonly ttlS: number }[];
}

/** RFC 1035 4.1.1: id (2), flags (2), questions (2), answers (2), authorities (2), additional (2) */
const HEADER_BYTES = 12;
const RESPONSE = 0x8000;
const OPCODE_AND_CODE = 0x780f;
const A = 1;
const CNAME = 5;
const AAAA = 28;
const IN = 1;

const MOST_ANSWERS = 64;
const MOST_JUMPS = 16;
const LONGEST_NAME = 253;
const LABEL = /^[a-z0-9_-]{1,63}$/;

/** What a server said that a name's addresses are. Undefined of anything that isn't a whole, plain answer without an error: nothing is guessed. */
export function readDnsAnswer(bytes: Buffer): DnsAnswer | undefined {
  try {
    return read(bytes);
  } catch (cause) {
    // Behind its end: it was cut.
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

function read(bytes: Buffer): DnsAnswer | undefined {
  const flags = bytes.readUInt16BE(2);
  if ((flags & RESPONSE) === 0 || (flags & OPCODE_AND_CODE) !== 0 || bytes.readUInt16BE(4) !== 1) return undefined;
  const question = readName(bytes, HEADER_BYTES);
  const count = bytes.readUInt16BE(6);
  if (question === undefined || count > MOST_ANSWERS) return undefined;
  // type (2), class (2)
  let at = question.end + 4;
  const meant = new Set([question.name]);
  const addresses: { address: string; ttlS: number }[] = [];
  for (let n = 0; n < count; n += 1) {
    const record = readRecord(bytes, at);
    if (record === undefined) return undefined;
    at = record.end;
    if (!record.isInternet || !meant.has(record.owner)) continue;
    if (record.type === CNAME) {
      const alias = readName(bytes, record.from);
      if (alias) meant.add(alias.name);
    }
    const length = record.type === A ? 4 : record.type === AAAA ? 16 : undefined;
    const address =
      length === record.end - record.from ? addressText(bytes.subarray(record.from, record.end)) : undefined;
    if (address !== undefined) addresses.push({ address, ttlS: record.ttlS });
  }
  return { name: question.name, addresses };
}

interface DnsRecord {
  readonly owner: string;
  readonly type: number;
  readonly isInternet: boolean;
  readonly ttlS: number;
  /** Its data. */
  readonly from: number;
  readonly end: number;
}

/** name, type (2), class (2), time to live (4), length (2), data */
function readRecord(bytes: Buffer, at: number): DnsRecord | undefined {
  const owner = readName(bytes, at);
  if (owner === undefined) return undefined;
  const from = owner.end + 10;
  const end = from + bytes.readUInt16BE(owner.end + 8);
  if (end > bytes.length) return undefined;
  const ttlS = bytes.readUInt32BE(owner.end + 4);
  const isInternet = bytes.readUInt16BE(owner.end + 2) === IN;
  return { owner: owner.name, type: bytes.readUInt16BE(owner.end), isInternet, ttlS, from, end };
}

/** Labels of a length (1) and so many bytes, until one of 0; two bytes that begin with 11 say where the rest stands, always before it. */
function readName(bytes: Buffer, from: number): { readonly name: string; readonly end: number } | undefined {
  const labels: string[] = [];
  let at = from;
  let end: number | undefined;
  for (let jumps = 0; ; ) {
    const length = bytes.readUInt8(at);
    if (length >= 0xc0) {
      const target = bytes.readUInt16BE(at) & 0x3fff;
      end ??= at + 2;
      jumps += 1;
      if (jumps > MOST_JUMPS || target >= at) return undefined;
      at = target;
    } else if (length === 0) {
      const name = labels.join(".");
      return name.length <= LONGEST_NAME && name !== "" ? { name, end: end ?? at + 1 } : undefined;
    } else {
      const label = bytes.toString("latin1", at + 1, at + 1 + length).toLowerCase();
      if (label.length !== length || !LABEL.test(label) || labels.length > 127) return undefined;
      labels.push(label);
      at += 1 + length;
    }
  }
}
