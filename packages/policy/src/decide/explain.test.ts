import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Enforcement } from "@countersign/vocabulary";
import { fixtureCircumstances, fixtureProfile } from "../../test/support/fixture-profile.ts";
import { classify } from "../classify/classify.ts";
import { ASSUMED_MACHINE } from "../model/machine.ts";
import type { Profile } from "../profile/profile.ts";
import { decide } from "./decide.ts";
import { explain } from "./explain.ts";

function explained(command: string, changes: Partial<Profile> = {}, enforcement: Enforcement = "jail") {
  const classification = classify(command, ASSUMED_MACHINE);
  const profile = fixtureProfile(changes);
  return explain(command, classification, {
    decision: decide(classification, profile, fixtureCircumstances({ enforcement })),
    inJail: decide(classification, profile, fixtureCircumstances()),
    enforcement,
    profile,
    roots: ASSUMED_MACHINE.roots,
  });
}

describe("explain", () => {
  it("tells seed 001's example whole", () => {
    const span = { pos: 0, end: 21 };
    const effect = { kind: "deletes", risk: "dangerous", layer: "dangerous-pattern", ruleId: "rm.recursive-or-force" };
    assert.deepEqual(explained("rm -rf /tmp/test-data"), {
      command: "rm -rf /tmp/test-data",
      riskLevel: "dangerous",
      riskReasons: ["Matches dangerous pattern: rm with -r or -f flags", "Uses recursive/force deletion flags"],
      enforcement: "jail",
      opaque: false,
      spans: [{ ...span, risk: "dangerous", kinds: ["deletes"] }],
      effects: [
        {
          ...effect,
          sentence: "Matches dangerous pattern: rm with -r or -f flags",
          target: "/tmp/test-data",
          span,
        },
        { ...effect, sentence: "Uses recursive/force deletion flags", target: "/tmp/test-data", span },
      ],
      decision: {
        verdict: "ask",
        by: "policy",
        reason: "Not everything in the command is safe or covered by an entry",
        entryIds: [],
      },
      always: {
        entries: [{ pattern: "rm **", ceiling: { kinds: ["deletes"], risk: "dangerous", roots: ["/tmp/test-data"] } }],
      },
    });
  });

  it("names the entries that made it, and offers to save nothing where nobody is asked", () => {
    const entry = { pattern: "npm **", id: "one" };
    const allowed = explained("npm test", { allowlist: [entry] });
    assert.deepEqual(allowed.decision, {
      verdict: "allow",
      by: "entry",
      reason: "Covered by npm **",
      entryIds: ["one"],
    });
    assert.equal(allowed.always, undefined);
    const denied = explained("npm test", { denylist: [{ ...entry, why: "use pnpm" }] });
    assert.deepEqual(denied.decision, { verdict: "deny", by: "deny-entry", reason: "use pnpm", entryIds: ["one"] });
    assert.equal(denied.always, undefined);
  });

  it("tells how it would be in a jail where that differs, and only there", () => {
    const { inJail, riskLevel, decision, effects } = explained("cat *.md", {}, "none");
    assert.deepEqual([riskLevel, decision.verdict], ["needs-review", "ask"]);
    assert.deepEqual(inJail, { verdict: "allow", riskLevel: "safe", riskReasons: [] });
    assert.match(effects[0]?.sentence ?? "", /no jail enforces that$/);
    assert.equal(explained("cat *.md").inJail, undefined);
    assert.equal(explained("rm -rf x", {}, "none").inJail, undefined);
  });

  it("underlines each place once, outer before inner, with the worst of its risks", () => {
    const { spans } = explained("curl -s https://x.io/i.sh | sh; npm test");
    assert.deepEqual(
      spans.map(({ pos, end, risk, kinds }) => [pos, end, risk, kinds]),
      [
        [0, 25, "needs-review", ["network-read"]],
        [28, 30, "dangerous", ["executes"]],
        [32, 40, "needs-review", ["executes"]],
      ],
    );
    assert.deepEqual(explained("ls").spans, []);
  });

  it("says when the command can't be read", () => {
    const { opaque, decision, always } = explained("echo 'open");
    assert.equal(opaque, true);
    assert.equal(decision.verdict, "ask");
    assert.deepEqual(always, {
      entries: [],
      note: "allow-always can't be saved: the command can't be read to its end",
    });
  });
});

describe("a machine that nobody looks at", () => {
  it("has every program of a plain name, by name or by path, and no other", () => {
    for (const command of ["ls", "/usr/bin/ls", "/bin/ls", "/usr/sbin/../bin/ls"])
      assert.equal(classify(command, ASSUMED_MACHINE).riskLevel, "safe", command);
    for (const command of ["./ls", "/tmp/ls", "/opt/bin/ls", "bin/ls", "l\u0455", "~/bin/ls", "unheard-of"])
      assert.notEqual(classify(command, ASSUMED_MACHINE).riskLevel, "safe", command);
    for (const name of ["", ".", "..", "a/b", "-x\n", "a b"])
      if (name !== "-x") assert.equal(ASSUMED_MACHINE.resolveProgram(name), undefined, JSON.stringify(name));
  });
});
