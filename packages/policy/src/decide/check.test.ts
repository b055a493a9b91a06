import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lintEntries } from "../entries/lint.ts";
import { ASSUMED_MACHINE } from "../model/machine.ts";
import { compilePattern, subsumes } from "../patterns/pattern.ts";
import type { Entry } from "../profile/profile.ts";
import { type CheckOptions, checkPolicy } from "./check.ts";

const NOW = 1_000;

function check(file: unknown, as: CheckOptions["as"] = "user") {
  return checkPolicy(file, { as, context: ASSUMED_MACHINE, nowMs: NOW });
}

describe("checkPolicy", () => {
  const file = {
    execApproval: {
      allowlist: [{ pattern: "touch **", examples: { allow: ["touch a"], ask: ["touch a > /etc/x"] } }],
      denylist: [{ pattern: "curl **", examples: { deny: ["curl x", "sudo curl x"] } }],
    },
    examples: { allow: ["ls"], ask: ["rm -rf build"] },
  };

  it("passes where each example comes out as it says", () => {
    for (const as of ["user", "organisation", "repository"] as const)
      assert.deepEqual(check(file, as), { readable: true, examples: 6, failures: [], warnings: [] }, as);
  });

  it("names each example that comes out otherwise, with why and where it stands", () => {
    const reason = "Not everything in the command is safe or covered by an entry";
    assert.deepEqual(
      check({
        execApproval: { denylist: [{ pattern: "ls **", why: "no", examples: { allow: ["ls"], deny: ["ls -a"] } }] },
        examples: { allow: ["touch a", "pwd"] },
      }),
      {
        readable: true,
        examples: 4,
        failures: [
          { command: "touch a", expected: "allow", got: "ask", reason, where: "examples" },
          { command: "ls", expected: "allow", got: "deny", reason: "no", where: "denylist.0" },
        ],
        warnings: [],
      },
    );
  });

  it("goes by the layer: only the profile can widen", () => {
    const full = { execApproval: { security: "full" }, examples: { allow: ["touch a"] } };
    const failures = (as: CheckOptions["as"]) => {
      const found = check(full, as);
      return found.readable && found.failures.length;
    };
    assert.deepEqual(
      ["user", "organisation", "repository"].map((as) => failures(as as CheckOptions["as"])),
      [0, 1, 1],
    );
  });

  it("says what can't be read", () => {
    for (const [wrong, problem] of [
      [{ execApproval: { security: "open" } }, /security/],
      [{ examples: { allow: "ls" } }, /^examples\.allow/],
      [{ examples: { run: ["ls"] } }, /run/],
      [{ execApproval: { allowlist: [{ pattern: "ls", examples: [] }] } }, /^allowlist\.0/],
      [7, /file/],
    ] as const) {
      const found = check(wrong);
      assert.ok(!found.readable, JSON.stringify(wrong));
      assert.match(found.problems.join(), problem);
    }
  });
});

describe("lintEntries", () => {
  const lint = (allowlist: readonly Entry[], denylist: readonly Entry[] = []) =>
    lintEntries({ allowlist, denylist }, NOW).map(({ list, index, warning }) => `${list}.${index} ${warning}`);

  it("finds what never matches", () => {
    const never = ["git status && ls", "ls | wc", "echo x > f", "FOO=1 npm test", "./run.sh **", "git commit -m 'x'"];
    assert.equal(
      lint(never.map((pattern) => ({ pattern }))).filter((text) => text.includes("never matches")).length,
      6,
    );
    assert.deepEqual(lint([{ pattern: "git log --format=%h>%s" }, { pattern: "/usr/bin/git **" }]), []);
    assert.deepEqual(lint([], [{ pattern: "./run.sh **" }]), [], "a deny entry fits what isn't trusted too");
  });

  it("finds what has expired, says the same as another, or is denied anyway", () => {
    assert.deepEqual(
      lint(
        [
          { pattern: "npm test", expiresAtMs: NOW },
          { pattern: "npm run **" },
          { pattern: "npm run **", why: "again" },
          { pattern: "git push **" },
          { pattern: "git push --force **", expiresAtMs: NOW + 1 },
        ],
        [{ pattern: "git * --force **" }, { pattern: "npm **", expiresAtMs: NOW }],
      ),
      [
        "allowlist.0 It has expired",
        "allowlist.2 An earlier entry says the same",
        "allowlist.4 A deny entry covers everything that it allows",
        "denylist.1 It has expired",
      ],
    );
  });

  it("finds what is too broad", () => {
    const broad = ["** x", "*", "sudo **", "env **", "bash **", "python3 -c **", "npx **"].map((pattern) => ({
      pattern,
    }));
    assert.equal(lint(broad).filter((text) => text.includes("too broad")).length, broad.length);
    assert.deepEqual(lint([{ pattern: "sudo apt **" }, { pattern: "bash deploy.sh **" }, { pattern: "git **" }]), []);
  });
});

describe("subsumes", () => {
  const rows: [wide: string, narrow: string, expected: boolean][] = [
    ["git **", "git push **", true],
    ["git push **", "git **", false],
    ["** x", "a ** x", false],
    ["** x", "a x", true],
    ["a * c", "a b c", true],
    ["a b c", "a * c", false],
    ["a **", "a", true],
    ["a *", "a **", false],
    ["a** **", "abc **", true],
    ["a* **", "abc **", true],
    ["** ** ** ** **", "a ** ** ** ** **", false],
  ];
  for (const [wide, narrow, expected] of rows)
    it(`${wide} ⊇ ${narrow}`, () => assert.equal(subsumes(compilePattern(wide), compilePattern(narrow)), expected));
});
