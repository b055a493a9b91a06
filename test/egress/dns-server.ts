import { isIPv4 } from "node:net";

const HEADER_BYTES = 12;
const TTL_S = 1;

/** Answers what it knows: `names` has a name's addresses (IPv4), or another name, for which the same holds. Others don't exist. */
export function dnsAnswerTo(query: Buffer, names: Readonly<Record<string, readonly string[]>>): Buffer {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const question = query.subarray(HEADER_BYTES, at + 5);
  const records = recordsOf(labels.join("."), names);
  const header = Buffer.from(query.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(records.length > 0 ? 0x8180 : 0x8183, 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, question, ...records]);
}

function recordsOf(name: string, names: Readonly<Record<string, readonly string[]>>): Buffer[] {
  return (names[name] ?? []).flatMap((value) =>
    isIPv4(value)
      ? [record(name, 1, Buffer.from(value.split(".").map(Number)))]
      : [record(name, 5, nameBytes(value)), ...recordsOf(value, names)],
  );
}

/** name, type, class IN, time to live, length, data */
function record(name: string, type: number, data: Buffer): Buffer {
  const middle = Buffer.alloc(10);
  middle.writeUInt16BE(type);
  middle.writeUInt16BE(1, 2);
  middle.writeUInt32BE(TTL_S, 4);
  middle.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameBytes(name), middle, data]);
}

function nameBytes(name: string): Buffer {
  return Buffer.from([...name.split(".").flatMap((label) => [label.length, ...Buffer.from(label)]), 0]);
}
