import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { classify } from "./classify.ts";
import { cover } from "./cover.ts";
import { fixtureContext } from "./fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "./fixture-profile.ts";
import type { Entry } from "./profile.ts";

const context = fixtureContext();

function allowlisted(command: string, ...entries: (string | Entry)[]): boolean {
  const allowlist = entries.map((entry) => (typeof entry === "string" ? { pattern: entry } : entry));
  return cover(classify(command, context), fixtureProfile({ allowlist }), fixtureCircumstances()).allowlisted;
}

describe("an entry", () => {
  it("covers the program's own effects", () => {
    for (const command of [
      "git status",
      "git log --oneline -3 | head",
      "git add -A && git commit -m x",
      "/usr/bin/git status",
      "nice git status",
      "bash -c 'git status'",
      "git switch -c topic",
    ]) {
      assert.ok(allowlisted(command, "git **"), command);
    }
  });

  it("doesn't cover what the program doesn't do itself", () => {
    const commands = [
      "git status; rm -rf ~",
      "git $(id)",
      "git $X",
      "git status > /etc/passwd",
      "git status > out.txt",
      "git -c core.pager=x log",
      "git --exec-path=/tmp/x log",
      "git clone ext::x",
      "FOO=1 git status",
      "GIT_DIR=x git status",
      "./git status",
      "/tmp/git status",
      "git status &",
      "sudo git status",
      "git() { rm x; }; git status",
      "set -e; git status",
      "git status (",
      "git push --force",
      "git log ~/.countersign/x",
      "echo x | xargs git",
    ];
    for (const command of commands) assert.ok(!allowlisted(command, "git **"), command);
  });

  it("stays under its ceiling", () => {
    const exact: Entry = {
      pattern: "rm **",
      ceiling: { kinds: ["deletes"], risk: "dangerous", roots: ["/tmp/test-data"] },
    };
    assert.ok(allowlisted("rm -rf /tmp/test-data", exact));
    assert.ok(allowlisted("rm -rf /tmp/test-data/a", exact));
    for (const command of [
      "rm -rf ~/work",
      "rm -rf /tmp/test-data ~/work",
      "rm -rf /tmp/test-data/..",
      "rm -rf $X",
      "rm -rf /tmp/test-data/*",
      "rm -rf",
      "rm -rf /",
    ]) {
      assert.ok(!allowlisted(command, exact), command);
    }
    assert.ok(allowlisted("rm a.txt", "rm **"), "a hand-written entry covers ordinary work");
    assert.ok(!allowlisted("rm -rf a", "rm **"), "and nothing dangerous");
  });

  it("never covers the floor", () => {
    const all: Entry = { pattern: "rm **", ceiling: { kinds: ["deletes", "credentials"], risk: "dangerous" } };
    assert.ok(allowlisted("rm -rf build", all));
    assert.ok(!allowlisted("rm -rf /", all));
    assert.ok(!allowlisted("rm ~/.countersign/x", all));
  });

  it("of a wrapper covers what it names and no more", () => {
    const apt: Entry = { pattern: "sudo apt **", ceiling: { kinds: ["privilege", "executes"], risk: "dangerous" } };
    assert.ok(allowlisted("sudo apt update", apt));
    for (const command of [
      "sudo make",
      "sudo apt update; sudo make",
      "apt update",
      "sudo env apt update",
      "sudo -u x apt update",
      "sudo bash -c 'apt update'",
    ]) {
      assert.ok(!allowlisted(command, apt), command);
    }
    const any: Entry = { pattern: "sudo **", ceiling: { kinds: ["privilege", "executes"], risk: "dangerous" } };
    assert.ok(!allowlisted("sudo make", any), "sudo ** speaks for sudo alone");
    assert.ok(allowlisted("sudo make", any, "make **"));
  });

  it("expires", () => {
    assert.ok(!allowlisted("make", { pattern: "make", expiresAtMs: 1_000 }));
    assert.ok(allowlisted("make", { pattern: "make", expiresAtMs: 1_001 }));
  });

  it("needs every part covered or safe", () => {
    assert.ok(allowlisted("npm test && make && ls", "npm **", "make"));
    assert.ok(!allowlisted("npm test && make all", "npm **", "make"));
  });
});

it("ten thousand entries cost as much as one", () => {
  const many = fixtureProfile({
    allowlist: Array.from({ length: 10_000 }, (_, index) => ({ pattern: `tool${index} **` })),
  });
  const classification = classify("tool77 x", context);
  const run = () => cover(classification, many, fixtureCircumstances()).allowlisted;
  assert.ok(run());
  const start = performance.now();
  for (let count = 0; count < 1_000; count += 1) run();
  assert.ok(performance.now() - start < 500);
});
