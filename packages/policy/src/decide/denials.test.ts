import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fixtureContext } from "../../test/support/fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "../../test/support/fixture-profile.ts";
import { classify } from "../classify/classify.ts";
import type { Circumstances, Denial } from "../profile/circumstances.ts";
import type { Profile } from "../profile/profile.ts";
import { decide, decideOnTimeout } from "./decide.ts";
import { deniedEffects } from "./denials.ts";

const context = fixtureContext();
const AT = 1_000;

function denialOf(command: string, changes: Partial<Denial> = {}): Denial {
  return {
    approvalId: "a",
    proposalHash: `hash of ${command}`,
    command,
    by: "alice",
    atMs: AT,
    standsUntilMs: AT + 300_000,
    effects: deniedEffects(classify(command, context), fixtureCircumstances()),
    ...changes,
  };
}

/** Everything that isn't denied before is covered by entries made before the denial. */
const WIDE = ["rm", "npm", "make", "touch", "curl", "git", "mv"].map((name) => ({
  pattern: `${name} **`,
  id: name,
  atMs: AT - 1,
  ceiling: {
    kinds: ["deletes", "executes", "writes", "network-read"] as ["deletes", "executes", "writes", "network-read"],
    risk: "dangerous" as const,
  },
}));

function decideAfter(denied: string | Denial, command: string, changes: Partial<Profile> = {}) {
  const denial = typeof denied === "string" ? denialOf(denied) : denied;
  const proposalHash = `hash of ${command}`;
  const at: Circumstances = fixtureCircumstances({ nowMs: AT + 1, denials: [denial], proposalHash });
  return decide(classify(command, context), fixtureProfile({ allowlist: WIDE, ...changes }), at);
}

describe("what resembles a denied proposal", () => {
  const rows: readonly [denied: string, asks: readonly string[], passes: readonly string[]][] = [
    ["rm -rf build", ["rm -rf dist", "rm a", "touch build/x"], ["npm test", "touch a", "ls build"]],
    ["touch notes", ["touch other", "rm notes", "touch a && npm test"], ["npm test", "rm -rf build", "cat notes"]],
    ["npm run deploy", ["npm test"], ["make", "git status", "touch a"]],
    ["curl https://x.io", ["curl https://y.io"], ["npm test", "touch a"]],
    ["ls", [], ["touch a", "npm test"]],
  ];
  for (const [denied, asks, passes] of rows) {
    it(denied, () => {
      for (const command of asks) {
        const { verdict, by, reason, riskReasons } = decideAfter(denied, command);
        const mark = `Similar to what you denied: ${denied} (denied by alice)`;
        assert.deepEqual([verdict, by, reason, riskReasons.at(-1)], ["ask", "policy", mark, mark], command);
      }
      for (const command of passes) {
        const { verdict, riskReasons } = decideAfter(denied, command);
        assert.equal(verdict, "allow", command);
        assert.doesNotMatch(riskReasons.join(), /Similar/);
      }
    });
  }

  it("asks despite grants and full, and is denied where nobody can be asked", () => {
    const grants = [{ root: "/home/me/project", atMs: AT - 1 }];
    assert.equal(decideAfter("touch a", "touch b", { allowlist: [], grants }).verdict, "ask");
    assert.equal(decideAfter("touch a", "touch b", { security: "full" }).verdict, "ask");
    assert.equal(decideAfter("touch a", "touch b", { security: "full", ask: "off" }).verdict, "deny");
    assert.equal(decideAfter("touch a", "touch b", { ask: "off" }).verdict, "deny");
    const at = fixtureCircumstances({ denials: [denialOf("touch a")], attended: false });
    assert.equal(decide(classify("touch b", context), fixtureProfile({ allowlist: WIDE }), at).verdict, "deny");
  });

  it("isn't allowed by silence", () => {
    const at = fixtureCircumstances({ denials: [denialOf("touch a")] });
    for (const askFallback of ["full", "allowlist"] as const) {
      const profile = fixtureProfile({ askFallback, allowlist: WIDE });
      assert.equal(decideOnTimeout(classify("touch b", context), profile, at).verdict, "deny", askFallback);
      assert.equal(decideOnTimeout(classify("npm test", context), profile, at).verdict, "allow", askFallback);
    }
  });

  it("is allowed by what a person allowed afterwards", () => {
    const later = { pattern: "touch **", id: "later", atMs: AT + 1 };
    assert.equal(decideAfter("touch a", "touch b", { allowlist: [...WIDE, later] }).by, "entry");
    const grants = [{ root: "/home/me/project", atMs: AT + 1 }];
    assert.equal(decideAfter("touch a", "touch b", { grants }).by, "grant");
    const undated = { pattern: "touch **" };
    assert.equal(decideAfter("touch a", "touch b", { allowlist: [undated] }).verdict, "ask");
  });

  it("is the newest of several", () => {
    const denials = [denialOf("touch a", { command: "old" }), denialOf("touch b", { command: "new", atMs: AT + 5 })];
    const { reason } = decide(classify("touch c", context), fixtureProfile(), fixtureCircumstances({ denials }));
    assert.match(reason, /: new /);
  });
});

describe("a proposal that was denied", () => {
  it("is denied again at once, for a while, whatever allows it, with who and why", () => {
    const denial = denialOf("touch a", { reason: "use what is there" });
    for (const changes of [{}, { security: "full" }, { ask: "always" }, { ask: "off" }] as const) {
      const { verdict, by, reason, entryIds } = decideAfter(denial, "touch a", changes);
      assert.deepEqual([verdict, by, entryIds], ["deny", "person", []]);
      assert.match(
        reason,
        /^Denied by alice at 1970-01-01T00:00:01\.000Z; .* from 1970-01-01T00:05:01\.000Z: use what/,
      );
    }
    assert.equal(decideAfter(denialOf("ls"), "ls").by, "person", "a safe one too");
    assert.equal(decideAfter(denialOf("rm -rf /"), "rm -rf /").by, "person", "and the floor");
  });
  it("is asked about again afterwards, and marked", () => {
    const { verdict, riskReasons } = decideAfter(denialOf("touch a", { standsUntilMs: AT + 1 }), "touch a");
    assert.equal(verdict, "ask");
    assert.match(riskReasons.at(-1) ?? "", /^Similar to what you denied: touch a/);
  });
  it("doesn't outrank a deny entry", () => {
    assert.equal(decideAfter("touch a", "touch a", { denylist: [{ pattern: "touch **" }] }).by, "deny-entry");
  });
});

it("a denied command with very many effects is remembered by their kinds", () => {
  const padding = Array.from({ length: 100 }, (_, index) => `unknown-${index}`).join("; ");
  const { by, riskReasons } = decideAfter(`${padding}; make`, "make");
  assert.equal(by, "policy");
  assert.match(riskReasons.join(), /Similar to what you denied/);
});
