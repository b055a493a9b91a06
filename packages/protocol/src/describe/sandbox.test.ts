import assert from "node:assert/strict";
import { test } from "node:test";
import { type SandboxStep, sandboxStepSchema } from "../records/sandbox.ts";
import { durationWords, isUnexplained, sandboxStepNotes, sandboxStepWords } from "./sandbox.ts";

type Flow = Extract<SandboxStep, { kind: "flow" }>;
const AT = "2026-01-02T03:04:05.000Z";

const STEP = {
  ...{ place: 1, at: AT, happenedAt: AT, emittedAt: AT, seq: 9, hash: "sha256:0", chainId: "c", sequence: 1 },
  ...{ risk: "medium", attestation: "host-observed", placement: "ingress_egress" },
};
const flow = (set: Partial<Flow> = {}): SandboxStep =>
  sandboxStepSchema.parse({
    ...{ ...STEP, kind: "flow", type: "network.egress.observed", address: "10.0.0.2", port: 443, protocol: "tcp" },
    ...{ name: null, bytesOut: 1_234, blocked: false, endedAt: AT, receipts: 1, firstSeq: 9, limits: [] },
    ...{ explained: { kind: "call", seq: 7, receipts: 1 }, parametersHash: null, responseHash: null },
    ...{ correlation: null, enforcement: "none", ...set },
  });

const WORDS: readonly (readonly [Partial<Flow>, string])[] = [
  [{ name: "example.org" }, "Sent 1,234 bytes to 10.0.0.2:443 (tcp), example.org"],
  [{ bytesOut: 1 }, "Sent 1 byte to 10.0.0.2:443 (tcp)"],
  [{ endedAt: null }, "Sent 1,234 bytes so far to 10.0.0.2:443 (tcp)"],
  [{ address: "fd00::2", port: 53, protocol: "udp" }, "Sent 1,234 bytes to [fd00::2]:53 (udp)"],
  [{ address: "fd00::2", port: 0, protocol: "ipv6-icmp" }, "Sent 1,234 bytes to fd00::2 (ipv6-icmp)"],
  [{ blocked: true, name: "example.org" }, "Blocked: 10.0.0.2:443 (tcp), example.org"],
];

test("a flow is told by where it went, how much, and under which name", () => {
  for (const [set, words] of WORDS) assert.equal(sandboxStepWords(flow(set)), words);
});

const none = (reason: Extract<Flow["explained"], { kind: "none" }>["reason"]) => ({ kind: "none", reason }) as const;
const EXPLAINED: readonly (readonly [Flow["explained"], RegExp])[] = [
  [{ kind: "call", seq: 7, receipts: 1 }, /^began while what receipt 7 tells was under way$/],
  [{ kind: "call", seq: 7, receipts: 3 }, /^began while one of 3 calls was under way, the first of them receipt 7$/],
  [{ kind: "terminal", seq: 7 }, /^began while the terminal of receipt 7 was open, of whose end nothing is on record$/],
  [{ kind: "relay" }, /^to the relay/],
  [none("between"), /^no call recorded inside explains this: none was under way/],
  [none("after-last"), /^no call recorded inside explains this so far: .*\(a call is told when it ends\)$/],
  [none("before-first"), /^no call recorded inside explains this: it began before/],
  [none("nothing-inside"), /^no call recorded inside explains this: nothing was ever told/],
  [none("lost"), /^no call recorded inside explains this: frames of the proxy's went lost/],
];

test("what explains a flow is its first note, and only what nothing explains is marked", () => {
  for (const [explained, words] of EXPLAINED) {
    const step = flow({ explained });
    assert.match(sandboxStepNotes(step)[0] ?? "", words);
    assert.equal(isUnexplained(step), explained.kind === "none");
  }
});

test("a flow of several receipts, one that goes on, and one that was heard of late say so", () => {
  const notes = sandboxStepNotes({
    ...flow({ receipts: 3, firstSeq: 4, endedAt: null, enforcement: "enforced" }),
    at: "2026-01-02T03:09:05.000Z",
  });
  assert.deepEqual(notes.slice(1), [
    ...["told by 3 receipts, 4 to 9", "it wasn't over when it was last told", "seen from outside of the sandbox"],
    ...["rules of the host's hold the sandbox to what is allowed", "recorded 5 min after it was told"],
  ]);
});

test("where nobody looked, and where frames went lost, says from which side", () => {
  const unwatched = (reason: string, rules: string | null = null): SandboxStep => ({
    ...{ ...STEP, kind: "unwatched", from: AT, to: "2026-01-02T03:09:04.000Z", reason, rules, limits: [] },
  });
  assert.deepEqual(
    [unwatched("not-running", "stayed"), unwatched("detached", "gone"), unwatched("overrun")].map((step) => [
      ...[sandboxStepWords(step), ...sandboxStepNotes(step).slice(1)],
    ]),
    [
      [
        "Nobody watched what left the sandbox for 4 min 59 s: no observer was running",
        "what is blocked stayed blocked meanwhile",
      ],
      [
        "Nobody watched what left the sandbox for 4 min 59 s: the observer had been told not to",
        "nothing was blocked meanwhile",
      ],
      ["Not all of what left the sandbox was seen for 4 min 59 s: there was more than could be read"],
    ],
  );
  const gap = (placement: string | null): SandboxStep => ({ ...STEP, kind: "gap", placement, dropped: 1 });
  assert.deepEqual(
    [gap("ingress_egress"), gap("execd"), gap(null)].map((step) => sandboxStepWords(step).split(":")[0]),
    ["1 frame of the observer's never came", "1 frame never came", "1 frame never came"],
  );
});

test("durations are told by their two largest units", () => {
  const told = [0, 999, 1_000, 61_000, 3_600_000, 3_661_000, 90_000_000, Number.NaN].map(durationWords);
  assert.deepEqual(told, [
    "less than 1 s",
    "less than 1 s",
    "1 s",
    "1 min 1 s",
    "1 h",
    "1 h 1 min",
    "1 d 1 h",
    "less than 1 s",
  ]);
});
