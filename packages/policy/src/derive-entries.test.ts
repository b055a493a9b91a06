import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { classify } from "./classify.ts";
import { decide } from "./decide.ts";
import { type DeriveOptions, deriveEntries } from "./derive-entries.ts";
import { fixtureContext } from "./fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "./fixture-profile.ts";

const context = fixtureContext();
const derive = (command: string, options: Partial<DeriveOptions> = {}) =>
  deriveEntries(classify(command, context), { roots: context.roots, ...options });
const patterns = (command: string) => derive(command).entries.map((entry) => entry.pattern);

describe("allow-always", () => {
  it("saves seed 001's rm with the ceiling that was seen", () => {
    assert.deepEqual(derive("rm -rf /tmp/test-data"), {
      entries: [{ pattern: "rm **", ceiling: { kinds: ["deletes"], risk: "dangerous", roots: ["/tmp/test-data"] } }],
    });
  });

  it("saves one entry for each part that isn't safe", () => {
    assert.deepEqual(patterns("npm test && ls | npm run x"), ["npm **"]);
    assert.deepEqual(patterns("npm test && cargo build"), ["npm **", "cargo **"]);
    assert.deepEqual(derive("touch a /tmp/b").entries, [
      {
        pattern: "touch **",
        ceiling: { kinds: ["writes"], risk: "needs-review", roots: ["/home/me/project", "/tmp/b"] },
      },
    ]);
  });

  it("saves what is inside a wrapper, an interpreter or a runner", () => {
    assert.deepEqual(patterns("sudo apt update"), ["sudo apt **"]);
    assert.deepEqual(patterns("sudo -n apt update"), ["sudo -n apt **"]);
    assert.deepEqual(patterns("timeout 5 npm test"), ["npm **"]);
    assert.deepEqual(patterns("bash -c 'npm test'"), ["npm **"]);
    assert.deepEqual(patterns("python x.py a"), ["python x.py **"]);
    assert.deepEqual(patterns("npx eslint ."), ["npx eslint **"]);
    assert.deepEqual(patterns("bash deploy/check.sh"), ["bash deploy/check.sh **"]);
    assert.deepEqual(patterns("/usr/bin/git status"), ["git **"]);
  });

  it("says why when there is nothing to save", () => {
    for (const command of [
      "sudo -i",
      "sudo bash",
      "python -c 1",
      "bash",
      "env FOO=1 npm test",
      "FOO=1 make",
      "npm test > x",
      "git $(id)",
      "./x",
      "rm -rf /",
      "set -e; make",
      "make &",
      "npx -y x",
      "x=1",
    ]) {
      const { entries, note } = derive(command);
      assert.deepEqual({ command, entries }, { command, entries: command === "env FOO=1 npm test" ? entries : [] });
      assert.match(note ?? "", /^allow-always can't be saved/, command);
    }
  });

  it("never saves a pattern that covers whatever a wrapper runs", () => {
    for (const command of [
      "sudo ls",
      "env npm x",
      "xargs npm",
      "busybox npm",
      "nice make",
      "bash -c make",
      "command make",
      "find . -exec make {} +",
    ]) {
      for (const pattern of patterns(command))
        assert.doesNotMatch(pattern, /^(sudo|env|xargs|busybox|nice|bash|command|find|sh) \*\*/, command);
    }
  });

  it("saves safe parts where they are misses", () => {
    const { entries } = derive("ls | wc", { safeIsMiss: true });
    assert.deepEqual(
      entries.map((entry) => entry.pattern),
      ["ls **", "wc **"],
    );
    assert.deepEqual(patterns("ls"), ["ls **"]);
  });
});

it("what was saved lets the same command through, and nothing worse", () => {
  const at = fixtureCircumstances();
  const rows = [
    "rm -rf /tmp/test-data",
    "npm test && cargo build",
    "sudo apt update",
    "python x.py",
    "timeout 5 make",
    "touch a",
    "git push --force",
  ];
  for (const command of rows) {
    const classification = classify(command, context);
    const profile = fixtureProfile({ allowlist: [...deriveEntries(classification, { roots: context.roots }).entries] });
    assert.equal(decide(classification, profile, at).verdict, "allow", command);
    assert.equal(decide(classify("rm -rf ~/work", context), profile, at).verdict, "ask", command);
    assert.equal(decide(classify("sudo make", context), profile, at).verdict, "ask", command);
  }
});

it("a stored classification derives and decides as a fresh one", () => {
  const fresh = classify("npm test > x; make", context);
  const stored = JSON.parse(JSON.stringify(fresh));
  const profile = fixtureProfile({ allowlist: [{ pattern: "make" }, { pattern: "npm **" }] });
  assert.deepEqual(decide(stored, profile, fixtureCircumstances()), decide(fresh, profile, fixtureCircumstances()));
  assert.deepEqual(deriveEntries(stored, { roots: [] }), deriveEntries(fresh, { roots: [] }));
});
