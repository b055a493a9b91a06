import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { fixtureContext } from "../../test/support/fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "../../test/support/fixture-profile.ts";
import { classify } from "../classify/classify.ts";
import { decide } from "../decide/decide.ts";
import { deriveEntries } from "../entries/derive.ts";
import { lintEntries } from "../entries/lint.ts";
import { offerScopes } from "../entries/scopes.ts";
import type { Entry } from "../profile/profile.ts";
import { readToolCall, type ToolCall, ToolCallError, writeToolCall } from "./tool-call.ts";

const call = (server: string, tool: string, given: ToolCall["arguments"] = {}) =>
  writeToolCall({ server, tool, arguments: given });
const context = fixtureContext();
const circumstances = fixtureCircumstances({ enforcement: "enforced" });
const judge = (command: string, lists: { allow?: readonly (string | Entry)[]; deny?: readonly string[] } = {}) => {
  const entries = (list: readonly (string | Entry)[] = []): Entry[] =>
    list.map((one) => (typeof one === "string" ? { pattern: one } : one));
  const profile = fixtureProfile({ allowlist: entries(lists.allow), denylist: entries(lists.deny) });
  return decide(classify(command, context), profile, circumstances);
};

describe("the text of a call", () => {
  const rows: readonly [ToolCall["arguments"], string][] = [
    [{}, "mcp:gh find"],
    [{ q: "is:open label", n: 5 }, "mcp:gh find n=5 'q=is:open label'"],
    [{ n: "5" }, `mcp:gh find 'n="5"'`],
    [{ b: true, a: null }, "mcp:gh find a=null b=true"],
    [{ o: { z: [1, "x"], a: {} } }, `mcp:gh find 'o={"a":{},"z":[1,"x"]}'`],
    [{ "a=b": "c" }, `mcp:gh find '"a=b"=c'`],
    [{ a: "b=c" }, "mcp:gh find a=b=c"],
    [{ t: "it's\nhere" }, "mcp:gh find 't=it'\\''s\nhere'"],
    [{ t: "a\u202eb" }, `mcp:gh find 't="a\\u202eb"'`],
    [{ t: "a\0b" }, `mcp:gh find 't="a\\u0000b"'`],
    [JSON.parse('{"__proto__":{"x":1}}'), `mcp:gh find '__proto__={"x":1}'`],
  ];
  for (const [given, text] of rows) it(text, () => assert.equal(call("gh", "find", given), text));

  it("is read back to the same call, and two calls never share one", () => {
    const value = fc.jsonValue({ maxDepth: 3, stringUnit: "binary" });
    const given = fc.dictionary(fc.string({ unit: "binary" }), value, { maxKeys: 4 });
    const name = fc.string({ minLength: 1 }).filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(name, name, given, (server, tool, one) => {
        const read = readToolCall(call(server, tool, one));
        assert.ok(read);
        const back = Object.fromEntries(read.arguments.map(({ key, value: held }) => [key, held]));
        assert.equal(JSON.stringify([read.server, read.tool]), JSON.stringify([server, tool]));
        assert.equal(call(server, tool, back), call(server, tool, one));
        assert.deepEqual(JSON.parse(JSON.stringify(back)), JSON.parse(JSON.stringify(sorted(one))));
      }),
      { numRuns: 300 },
    );
  });

  it("refuses what can't be written", () => {
    const code = (thunk: () => unknown) => {
      try {
        thunk();
        return undefined;
      } catch (error) {
        return error instanceof ToolCallError ? error.code : error;
      }
    };
    let deep: unknown = 1;
    for (let level = 0; level < 100; level += 1) deep = [deep];
    assert.deepEqual(
      [
        code(() => call("", "x")),
        code(() => call("a", "b\0")),
        code(() => call("a", "\ud800")),
        code(() => call("a", "b", { deep })),
        code(() => call("a", "b", { n: Number.POSITIVE_INFINITY })),
        code(() => call("a", "b", { f: undefined })),
      ],
      ["INVALID_NAME", "INVALID_NAME", "INVALID_NAME", "TOO_DEEP", "INVALID_ARGUMENTS", "INVALID_ARGUMENTS"],
    );
  });
});

describe("what isn't a call is a command for bash", () => {
  const rows = [
    "mcp:gh find; rm -rf ~",
    "mcp:gh find $(id)",
    "mcp:gh find q=`id`",
    "mcp:gh find > /etc/passwd",
    "mcp:gh find q=a &",
    "mcp:gh find q=a\nrm x",
    "mcp:gh find q=a # x",
    "mcp:gh",
    "mcp: find",
    "mcp:gh find word",
    'mcp:gh find "q=$HOME"',
    "mcp:gh find q={a,b}",
    " mcp:gh find",
    "env mcp:gh find",
  ];
  for (const text of rows) {
    it(text, () => {
      const { parts, riskLevel } = classify(text, context);
      assert.ok(parts.every((part) => part.toolCall === undefined));
      assert.notEqual(riskLevel, "safe");
      const { verdict } = judge(text, { allow: ["mcp:gh **", "mcp:* **", "mcp:gh find **"] });
      assert.equal(verdict, "ask");
    });
  }
  it("people may quote as they like", () => {
    assert.deepEqual(readToolCall(`"mcp:my hub"  find "q=a b" n=1`)?.words, ["mcp:my hub", "find", "q=a b", "n=1"]);
  });
});

describe("entries", () => {
  const text = call("github", "search_code", { q: "x y", page: 2 });
  const rows: readonly [pattern: string, fits: boolean][] = [
    ["mcp:github **", true],
    ["mcp:github search_* **", true],
    ["mcp:github search_code page=2 q=x\\ y", true],
    ["mcp:github search_code page=* **", true],
    ["mcp:* search_code **", true],
    ["mcp:github search_code", false],
    ["mcp:github search_code page=3 **", false],
    ["mcp:git **", false],
    ["mcp:Github **", false],
    ["github **", false],
    ["**", false],
    ["* **", false],
    ["*:github **", false],
    ["mc* **", false],
    ["search_code **", false],
  ];
  for (const [pattern, fits] of rows) {
    it(`${pattern} ${fits ? "allows and denies" : "is about something else"}`, () => {
      assert.equal(judge(text, { allow: [pattern] }).verdict, fits ? "allow" : "ask");
      assert.equal(judge(text, { deny: [pattern] }).verdict, fits ? "deny" : "ask");
    });
  }

  it("deny entries win, and say their own sentence", () => {
    const profile = fixtureProfile({
      security: "full",
      allowlist: [{ pattern: "mcp:github **" }],
      denylist: [{ pattern: "mcp:github delete_* **", why: "Nothing is deleted here" }],
    });
    const { verdict, by, reason } = decide(classify(call("github", "delete_repo"), context), profile, circumstances);
    assert.deepEqual({ verdict, by, reason }, { verdict: "deny", by: "deny-entry", reason: "Nothing is deleted here" });
  });

  it("entries for tools are never about programs of that name", () => {
    const here = fixtureContext({ resolveProgram: (name) => `/usr/bin/${name}` });
    const profile = fixtureProfile({ allowlist: [{ pattern: "mcp:x **" }, { pattern: "mcp:* **" }] });
    const judged = decide(classify("mcp:x; mcp:x", here), profile, circumstances);
    assert.equal(judged.verdict, "ask");
  });

  it("one that names no server is too broad; others are fine", () => {
    const lists = {
      allowlist: [{ pattern: "mcp:* **" }, { pattern: "mcp:a/b; **" }],
      denylist: [{ pattern: "mcp:* rm*" }],
    };
    assert.deepEqual(
      lintEntries(lists, 0).map(({ pattern, warning }) => [pattern, warning]),
      [["mcp:* **", "It is too broad: the pattern must name the MCP server"]],
    );
  });
});

describe("what a call is taken for", () => {
  const kinds = (given: ToolCall["arguments"], server = "fs", tool = "read") =>
    classify(call(server, tool, given), context).effects.map(
      ({ kind, risk, floor }) => `${kind} ${risk}${floor ? " floor" : ""}`,
    );
  const rows: readonly [ToolCall["arguments"], readonly string[]][] = [
    [{}, ["executes needs-review"]],
    [{ q: "hello / world" }, ["executes needs-review"]],
    [{ path: "/home/me/project/a.ts" }, ["executes needs-review", "writes needs-review"]],
    [{ path: "~/.ssh/id_rsa" }, ["executes needs-review", "credentials dangerous"]],
    [{ deep: [{ paths: ["file:///home/me/.aws/credentials"] }] }, ["executes needs-review", "credentials dangerous"]],
    [{ path: "../.ssh/id_rsa", base: 1 }, ["executes needs-review", "credentials dangerous"]],
    [{ path: "/home/me/.countersign/config.json" }, ["executes needs-review", "credentials dangerous floor"]],
    [{ path: "/home/me/.bashrc" }, ["executes needs-review", "persistence needs-review"]],
    [{ url: "https://example.com/.env" }, ["executes needs-review"]],
  ];
  for (const [given, expected] of rows) it(JSON.stringify(given), () => assert.deepEqual(kinds(given), expected));

  it("what is given to a shell is read as one would", () => {
    const found = kinds({ command: "rm -rf ~" });
    assert.ok(found.includes("deletes dangerous floor"), found.join());
    assert.deepEqual(kinds({ command: "ls" }), ["executes needs-review"]);
  });

  for (const name of ["a\u202eb", "a\u200bb", "a\nb", "\u0455earch"]) {
    it(`a name like ${JSON.stringify(name)} is never covered`, () => {
      assert.equal(judge(call(name, "t"), { allow: ["mcp:* **", "mcp:** **"] }).verdict, "ask");
      assert.equal(judge(call("s", name), { allow: ["mcp:s **"] }).verdict, "ask");
      assert.equal(judge(call("s", "t", { [name]: 1 }), { allow: ["mcp:s **"] }).verdict, "ask");
    });
  }

  it("an entry covers no secret, no place that starts code and none of our files", () => {
    for (const path of ["~/.ssh/id_rsa", "/home/me/.bashrc", "/home/me/.countersign"]) {
      assert.equal(judge(call("fs", "read", { path }), { allow: ["mcp:fs **"] }).verdict, "ask", path);
    }
  });
});

describe("allow-always", () => {
  it("saves this tool of this server, held to what was seen", () => {
    const seen = call("fs", "read", { path: "/home/me/project/a.ts" });
    const { entries } = deriveEntries(classify(seen, context), { roots: context.roots, enforcement: "enforced" });
    assert.deepEqual(entries, [
      {
        pattern: "mcp:fs read **",
        ceiling: { kinds: ["executes", "writes"], risk: "needs-review", roots: ["/home/me/project"] },
      },
    ]);
    const verdict = (server: string, tool: string, path: string) =>
      judge(call(server, tool, { path }), { allow: entries }).verdict;
    assert.equal(verdict("fs", "read", "/home/me/project/b.ts"), "allow");
    assert.equal(verdict("fs", "read", "/etc/hosts"), "ask");
    assert.equal(verdict("fs", "write", "/home/me/project/b.ts"), "ask");
    assert.equal(verdict("fs2", "read", "/home/me/project/b.ts"), "ask");
  });

  it("offers the exact call first, and nothing that rests on a jail", () => {
    const classification = classify(call("my hub", "find it", { q: "x" }), context);
    const setting = { profile: fixtureProfile(), circumstances, roots: context.roots, cwd: context.cwd };
    const offers = offerScopes(classification, setting);
    assert.deepEqual(
      offers.map(({ scope, saves }) => [scope, ...saves]),
      [
        ["exact@session", "'mcp:my hub' 'find it' q=x"],
        ["exact@directory", "'mcp:my hub' 'find it' q=x"],
        ["exact@forever", "'mcp:my hub' 'find it' q=x"],
        ["pattern:mcp:my\\ hub find\\ it **@43200m", "mcp:my\\ hub find\\ it **"],
        ["program@session", "mcp:my\\ hub find\\ it **"],
        ["program@directory", "mcp:my\\ hub find\\ it **"],
        ["program@forever", "mcp:my\\ hub find\\ it **"],
      ],
    );
  });

  it("of something dangerous only this very call", () => {
    const text = call("fs", "read", { path: "~/.netrc" });
    const { entries } = deriveEntries(classify(text, context), { roots: context.roots, enforcement: "enforced" });
    assert.deepEqual(
      entries.map(({ pattern }) => pattern),
      ["mcp:fs read path=~/.netrc"],
    );
  });
});

it("a grant is about a jail, and none is around a tool", () => {
  const profile = fixtureProfile({ grants: [{ root: "/home/me/project" }] });
  const jailed = fixtureCircumstances({ enforcement: "jail" });
  assert.equal(decide(classify(call("fs", "read"), context), profile, jailed).verdict, "ask");
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
}
