import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fixtureContext } from "../../test/support/fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "../../test/support/fixture-profile.ts";
import { classify } from "../classify/classify.ts";
import { askSchema, type Entry, type Profile, securitySchema } from "../profile/profile.ts";
import { decide, decideOnTimeout } from "./decide.ts";

const context = fixtureContext();
const safe = classify("ls", context);
const covered = classify("npm test", context);
const missed = classify("make", context);
const dangerous = classify("rm -rf build", context);
const floor = classify("rm -rf /", context);
const allowlist: Entry[] = [{ pattern: "npm **", id: "npm" }];

/** The decision table of 3-policy.md: what becomes of safe or allowlisted commands, and of others. */
const TABLE: Record<
  Profile["security"],
  Record<Profile["ask"], readonly ["allow" | "ask" | "deny", "allow" | "ask" | "deny"]>
> = {
  deny: { off: ["deny", "deny"], "on-miss": ["deny", "deny"], always: ["deny", "deny"] },
  allowlist: { off: ["allow", "deny"], "on-miss": ["allow", "ask"], always: ["ask", "ask"] },
  full: { off: ["allow", "allow"], "on-miss": ["allow", "allow"], always: ["ask", "ask"] },
};

describe("the decision table", () => {
  for (const security of securitySchema.options) {
    for (const ask of askSchema.options) {
      for (const attended of [true, false]) {
        it(`${security}, ${ask}, ${attended ? "attended" : "unattended"}`, () => {
          const profile = fixtureProfile({ security, ask, allowlist });
          const at = fixtureCircumstances({ attended });
          const verdict = (one: typeof safe) => decide(one, profile, at).verdict;
          const [hit, miss] = TABLE[security][ask].map((one) => (one === "ask" && !attended ? "deny" : one));
          assert.deepEqual(
            { safe: verdict(safe), covered: verdict(covered), missed: verdict(missed), dangerous: verdict(dangerous) },
            { safe: hit, covered: hit, missed: miss, dangerous: miss },
          );
          const floorVerdict = security === "deny" || ask === "off" || !attended ? "deny" : "ask";
          assert.equal(verdict(floor), floorVerdict);
        });
      }
    }
  }
});

describe("who decided", () => {
  const at = fixtureCircumstances();
  it("is the policy, an entry, a deny entry or the floor", () => {
    const profile = fixtureProfile({
      allowlist,
      denylist: [{ pattern: "curl **", id: "no-curl", why: "No network here" }],
    });
    assert.deepEqual(decide(safe, profile, at), {
      verdict: "allow",
      by: "policy",
      reason: "Everything in the command is safe",
      entryIds: [],
      riskLevel: "safe",
      riskReasons: [],
    });
    const byEntry = decide(covered, profile, at);
    assert.deepEqual([byEntry.by, byEntry.entryIds, byEntry.riskLevel], ["entry", ["npm"], "needs-review"]);
    const denied = decide(classify("ls; sudo /usr/bin/curl x", context), profile, at);
    assert.deepEqual(
      [denied.verdict, denied.by, denied.reason, denied.entryIds],
      ["deny", "deny-entry", "No network here", ["no-curl"]],
    );
    assert.equal(decide(floor, fixtureProfile({ security: "full" }), at).by, "floor");
  });

  it("says when nobody can be asked", () => {
    const { verdict, reason } = decide(missed, fixtureProfile(), fixtureCircumstances({ attended: false }));
    assert.equal(verdict, "deny");
    assert.match(reason, /nobody can be asked/);
  });

  it("names a denying pattern without a why", () => {
    assert.equal(
      decide(missed, fixtureProfile({ denylist: [{ pattern: "make **" }] }), at).reason,
      "Denied by entry make **",
    );
  });
});

describe("deny entries", () => {
  const denies = (pattern: string, command: string, changes = {}) =>
    decide(
      classify(command, context),
      fixtureProfile({ security: "full", denylist: [{ pattern, ...changes }] }),
      fixtureCircumstances(),
    ).verdict === "deny";
  it("win over wrappers, paths, unknown programs and opaque commands", () => {
    for (const command of [
      "rm x",
      "/bin/rm x",
      "./rm x",
      "~/rm x",
      "sudo rm x",
      "env A=1 rm x",
      "bash -c 'rm x'",
      "echo $(rm x)",
      "ls | xargs rm",
      "find . -exec rm {} +",
      "r''m x",
      "shopt -s x; rm x",
      "rm x; echo (",
      "eval 'rm x'",
    ]) {
      assert.ok(denies("rm **", command), command);
    }
  });
  it("deny nothing else, and expire", () => {
    assert.ok(!denies("rm **", "echo rm x"));
    assert.ok(!denies("git push **", "git pull"));
    assert.ok(!denies("rm **", "rm x", { expiresAtMs: 1_000 }));
    assert.ok(denies("rm **", "rm x", { expiresAtMs: 1_001 }));
  });
});

describe("without a jail", () => {
  const at = fixtureCircumstances({ enforcement: "advisory" });
  it("what only a jail holds isn't safe", () => {
    const recursive = classify("grep -r x .", context);
    assert.equal(decide(recursive, fixtureProfile(), fixtureCircumstances()).verdict, "allow");
    const decision = decide(recursive, fixtureProfile(), at);
    assert.deepEqual([decision.verdict, decision.riskLevel], ["ask", "needs-review"]);
    assert.match(decision.riskReasons[0] ?? "", /and no jail enforces that$/);
    assert.equal(decide(safe, fixtureProfile(), at).verdict, "allow");
  });
  it("a profile that requires one denies", () => {
    const decision = decide(safe, fixtureProfile({ sandbox: "required", security: "full" }), at);
    assert.deepEqual([decision.verdict, decision.by], ["deny", "policy"]);
    assert.match(decision.reason, /requires a jail/);
  });
});

describe("safeIsMiss", () => {
  const at = fixtureCircumstances();
  it("asks about safe commands until an entry matches", () => {
    assert.equal(decide(safe, fixtureProfile({ safeIsMiss: true }), at).verdict, "ask");
    const profile = fixtureProfile({ safeIsMiss: true, allowlist: [{ pattern: "ls **", id: "ls" }] });
    assert.deepEqual([decide(safe, profile, at).verdict, decide(safe, profile, at).by], ["allow", "entry"]);
    assert.equal(decide(classify("ls | wc", context), profile, at).verdict, "ask");
    assert.equal(decide(classify("timeout 5 ls", context), profile, at).verdict, "allow");
    assert.equal(decide(classify("", context), profile, at).verdict, "ask");
  });
});

describe("on timeout", () => {
  const at = fixtureCircumstances();
  const opaque = classify("shopt -s x; npm test", context);
  const rows = [
    ["deny", safe, "deny"],
    ["deny", covered, "deny"],
    ["full", safe, "allow"],
    ["full", missed, "allow"],
    ["full", dangerous, "deny"],
    ["full", floor, "deny"],
    ["full", opaque, "deny"],
    ["allowlist", safe, "deny"],
    ["allowlist", covered, "allow"],
    ["allowlist", classify("npm test && ls", context), "allow"],
    ["allowlist", classify("npm test && make", context), "deny"],
    ["allowlist", dangerous, "deny"],
    ["allowlist", floor, "deny"],
    ["allowlist", opaque, "deny"],
  ] as const;
  for (const [askFallback, classification, verdict] of rows) {
    it(`${askFallback}: ${classification.parts.map((part) => part.words.join(" ")).join("; ")}`, () => {
      const decision = decideOnTimeout(classification, fixtureProfile({ askFallback, allowlist }), at);
      assert.deepEqual([decision.verdict, decision.by], [verdict, "timeout"]);
    });
  }
  it("deny entries and required jails stay", () => {
    const profile = fixtureProfile({ askFallback: "full", denylist: [{ pattern: "make" }] });
    assert.equal(decideOnTimeout(missed, profile, at).by, "deny-entry");
    const required = fixtureProfile({ askFallback: "full", sandbox: "required" });
    assert.equal(decideOnTimeout(missed, required, fixtureCircumstances({ enforcement: "none" })).verdict, "deny");
  });
});

describe("Countersign's own command", () => {
  const at = fixtureCircumstances();
  const wide = fixtureProfile({ security: "full", ask: "on-miss", allowlist: [{ pattern: "countersign **" }] });
  it("is the floor where it decides, whatever the profile says", () => {
    for (const command of ["countersign approve x", "countersign policy deny ls", "env countersign token create"])
      assert.deepEqual([decide(classify(command, context), wide, at).by, command], ["floor", command]);
    for (const command of ["countersign explain ls", "countersign exec -- ls"])
      assert.equal(decide(classify(command, context), wide, at).verdict, "allow", command);
  });
});
