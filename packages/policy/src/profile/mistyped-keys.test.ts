import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as z from "zod";
import { readLayer } from "./layers.ts";
import { mistypedKeys, nearestKey } from "./mistyped-keys.ts";
import { profileSchema, readProfile } from "./profile.ts";

const KEYS = Object.keys(profileSchema.shape);

describe("nearestKey", () => {
  it("finds the key that was meant", () => {
    const table: [string, string][] = [
      ["denyList", "denylist"],
      ["deny_list", "denylist"],
      ["deny-list", "denylist"],
      ["DENYLIST", "denylist"],
      ["denylst", "denylist"],
      ["denylists", "denylist"],
      ["alowlist", "allowlist"],
      ["allowList", "allowlist"],
      ["securty", "security"],
      ["secuirty", "security"],
      ["Security", "security"],
      ["aks", "ask"],
      ["asks", "ask"],
      ["timeout", "timeoutMs"],
      ["timeoutms", "timeoutMs"],
      ["askFalback", "askFallback"],
      ["grant", "grants"],
      ["safeismiss", "safeIsMiss"],
      ["sandBox", "sandbox"],
      ["assurence", "assurance"],
      ["handback", "handBack"],
    ];
    for (const [key, expected] of table) assert.equal(nearestKey(key, KEYS), expected, key);
  });

  it("finds every key of a profile with one letter left out, doubled, changed or swapped", () => {
    for (const key of KEYS.filter(({ length }) => length > 3)) {
      for (let at = 0; at < key.length; at += 1) {
        const [before, letter = "", after] = [key.slice(0, at), key[at], key.slice(at + 1)];
        for (const typed of [before + after, before + letter + letter + after, `${before}q${after}`])
          assert.equal(nearestKey(typed, KEYS), key, typed);
      }
    }
  });

  it("leaves a key alone that resembles none", () => {
    for (const key of [
      "later",
      "comment",
      "$schema",
      "note",
      "x",
      "",
      "_",
      "description",
      "a".repeat(10_000),
      "__proto__",
    ])
      assert.equal(nearestKey(key, KEYS), undefined, key);
  });
});

describe("readProfile", () => {
  const problemsOf = (file: unknown) => {
    const reading = readProfile(file);
    return reading.ok ? [] : reading.problems;
  };

  it("refuses a mistyped key at every level, and names the right one", () => {
    const table: [unknown, string][] = [
      [{ execAproval: {} }, "execAproval: there's no such key (did you mean execApproval?)"],
      [{ execapproval: {} }, "execapproval: there's no such key (did you mean execApproval?)"],
      [{ execApproval: { denyList: [] } }, "execApproval.denyList: there's no such key (did you mean denylist?)"],
      [{ execApproval: { securty: "deny" } }, "execApproval.securty: there's no such key (did you mean security?)"],
      [
        { execApproval: { allowlist: [{ pattern: "ls", ceilling: {} }] } },
        "execApproval.allowlist.0.ceilling: there's no such key (did you mean ceiling?)",
      ],
      [
        { execApproval: { allowlist: [{ pattern: "ls", ceiling: { kinds: [], risk: "safe", root: ["/a"] } }] } },
        "execApproval.allowlist.0.ceiling.root: there's no such key (did you mean roots?)",
      ],
      [
        { execApproval: { grants: [{ root: "/a", expiresAt: 1 }] } },
        "execApproval.grants.0.expiresAt: there's no such key (did you mean expiresAtMs?)",
      ],
    ];
    for (const [file, problem] of table) assert.deepEqual(problemsOf(file), [problem]);
  });

  it("refuses a key that stands outside its block", () => {
    const table: [unknown, string][] = [
      [{ denylist: [] }, "denylist: there's no such key (did you mean execApproval.denylist?)"],
      [{ denyList: [] }, "denyList: there's no such key (did you mean execApproval.denylist?)"],
      [{ securty: "deny" }, "securty: there's no such key (did you mean execApproval.security?)"],
    ];
    for (const [file, problem] of table) {
      assert.deepEqual(problemsOf(file), [problem]);
      assert.deepEqual(readLayer(file), { ok: false, problems: [problem] });
    }
  });

  it("names a wrong value beside a mistyped key", () => {
    const problems = problemsOf({ execApproval: { denyList: [], ask: "maybe" } });
    assert.equal(problems.length, 2);
    assert.match(problems[1] ?? "", /^execApproval\.ask: /);
  });

  it("keeps keys of a later version, and any variable", () => {
    const block = { later: 1, env: { ASK: "1", denyList: "x" }, allowlist: [{ pattern: "ls", later: { asks: 1 } }] };
    assert.deepEqual(problemsOf({ $schema: "x", comment: "y", execApproval: block }), []);
  });
});

describe("readLayer", () => {
  it("refuses a mistyped key with the right one, and once", () => {
    const reading = readLayer({ execApproval: { denyList: [], denylist: [{ pattern: "x", wy: "y" }] } });
    assert.deepEqual(reading, {
      ok: false,
      problems: [
        "execApproval.denyList: there's no such key (did you mean denylist?)",
        "execApproval.denylist.0.wy: there's no such key (did you mean why?)",
      ],
    });
    assert.deepEqual(readLayer({ execAproval: { security: "deny" } }), {
      ok: false,
      problems: ["execAproval: there's no such key (did you mean execApproval?)"],
    });
    const other = readLayer({ execApproval: { blockAll: true } });
    assert.match(other.ok ? "" : other.problems.join(), /Unrecognized key/);
  });
});

describe("mistypedKeys", () => {
  const one = z.object({ kind: z.literal("a"), urls: z.array(z.object({ host: z.string() })) });
  const other = z.object({ kind: z.literal("b"), topic: z.string() });
  const schema = z.object({ channels: z.record(z.string(), z.union([one, other])).prefault({}), list: z.string() });

  it("looks into records, unions and lists", () => {
    assert.deepEqual(
      mistypedKeys(schema, {
        channels: { topics: { kinds: "a" }, x: { topik: 1, urls: [{ hots: "x" }, null, 1] } },
        lists: 1,
      }),
      [
        "channels.topics.kinds: there's no such key (did you mean kind?)",
        "channels.x.topik: there's no such key (did you mean topic?)",
        "channels.x.urls.0.hots: there's no such key (did you mean host?)",
        "lists: there's no such key (did you mean list?)",
      ],
    );
  });

  it("takes no longer than it must for a file of nothing but keys", () => {
    const hostile = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`denyList${at}`, {}]));
    const startedAt = performance.now();
    mistypedKeys(profileSchema, hostile);
    assert.ok(performance.now() - startedAt < 5_000);
    for (const value of [null, undefined, 1, "x", [], [[[]]]]) assert.deepEqual(mistypedKeys(schema, value), []);
  });
});
