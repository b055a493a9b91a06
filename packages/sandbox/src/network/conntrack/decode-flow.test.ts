import assert from "node:assert/strict";
import { test } from "node:test";
import { attribute, be16, be32, nested } from "../netlink/message.ts";
import { decodeFlow } from "./decode-flow.ts";

const FAMILY = Buffer.from([2, 0, 0, 0]);
const be64 = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
};
const tuple = (protocol: number, ip: readonly Buffer[]) =>
  nested(
    1,
    nested(1, ...ip),
    nested(2, attribute(1, Buffer.from([protocol])), attribute(2, be16(4_000)), attribute(3, be16(443))),
  );
const v4 = [attribute(1, Buffer.from([10, 0, 0, 1])), attribute(2, Buffer.from([10, 0, 0, 2]))];

test("a flow that ended: who asked whom, what was counted, when, and its mark", () => {
  const counters = nested(9, attribute(1, be64(3n)), attribute(2, be64(1_234n)));
  const times = nested(20, attribute(1, be64(5n)), attribute(2, be64(9n)));
  const body = Buffer.concat([
    FAMILY,
    tuple(6, v4),
    attribute(8, be32(0xe7530000)),
    counters,
    attribute(12, be32(77)),
    times,
  ]);
  assert.deepEqual(decodeFlow(body), {
    ...{ protocol: 6, src: "10.0.0.1", srcPort: 4_000, dst: "10.0.0.2", dstPort: 443 },
    ...{ mark: 0xe7530000, id: 77, bytesOut: 1_234, startedAtNs: 5n, endedAtNs: 9n },
  });
});

test("what isn't told is unknown, never 0; a protocol without ports has none", () => {
  const v6 = [3, 4].map((type) =>
    attribute(type, Buffer.concat([Buffer.from("fd77", "hex"), Buffer.alloc(13), Buffer.from([type])])),
  );
  const flow = decodeFlow(Buffer.concat([FAMILY, tuple(58, v6), attribute(12, be32(1))]));
  assert.deepEqual(flow, {
    ...{ protocol: 58, src: "fd77::3", srcPort: 0, dst: "fd77::4", dstPort: 0 },
    ...{ mark: 0, id: 1, bytesOut: undefined, startedAtNs: undefined, endedAtNs: undefined },
  });
});

test("a message that lacks an address, a protocol or an id is no flow", () => {
  for (const body of [
    FAMILY,
    Buffer.concat([FAMILY, tuple(6, v4)]),
    Buffer.concat([FAMILY, tuple(6, v4.slice(1)), attribute(12, be32(1))]),
    Buffer.concat([
      FAMILY,
      tuple(6, [attribute(1, Buffer.alloc(5)), attribute(2, Buffer.alloc(4))]),
      attribute(12, be32(1)),
    ]),
    Buffer.concat([FAMILY, nested(1, nested(1, ...v4)), attribute(12, be32(1))]),
  ])
    assert.equal(decodeFlow(body), undefined);
});
