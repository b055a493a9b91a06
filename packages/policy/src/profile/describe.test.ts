import assert from "node:assert/strict";
import { test } from "node:test";
import { describeLayerChange } from "./describe.ts";
import type { Entry } from "./profile.ts";

const READS: Entry["ceiling"] = { kinds: ["reads"], risk: "safe" };
const WRITES: Entry["ceiling"] = { kinds: ["reads", "writes"], risk: "needs-review" };

function told(from: readonly Entry[], to: readonly Entry[]): string[] {
  const block = (allowlist: readonly Entry[]) => ({ allowlist: [...allowlist], denylist: [] });
  return describeLayerChange(block(from), block(to), ({ kinds, risk }) => `${kinds.join(", ")} up to ${risk}`);
}

test("what an entry of a file is bound to is told, and what it was bound to before", () => {
  const code = { "/r/Makefile": "1" };
  const rows: [from: Entry[], to: Entry[], sentences: string[]][] = [
    [[], [{ pattern: "make" }], ['allowlist: adds or widens "make"']],
    [
      [],
      [{ pattern: "make", ceiling: WRITES, code, directory: "/r", lend: true, expiresAtMs: 0 }],
      [
        'allowlist: adds or widens "make": reads, writes up to needs-review; inside /r; while the code of one file stays as it is; with credentials; until 1970-01-01T00:00:00.000Z',
      ],
    ],
    [
      [{ pattern: "make", ceiling: READS, code }],
      [{ pattern: "make", ceiling: WRITES }],
      [
        'allowlist: adds or widens "make": reads, writes up to needs-review; until now: reads up to safe; while the code of one file stays as it is',
      ],
    ],
    [
      [{ pattern: "make", code }],
      [{ pattern: "make" }],
      ['allowlist: adds or widens "make": no bounds of its own; until now: while the code of one file stays as it is'],
    ],
    [[{ pattern: "make" }], [{ pattern: "make", ceiling: READS }], []],
  ];
  for (const [from, to, sentences] of rows) assert.deepEqual(told(from, to), sentences);
});
