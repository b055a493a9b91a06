import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fixtureContext } from "../../test/support/fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "../../test/support/fixture-profile.ts";
import { classify } from "../classify/classify.ts";
import { decide } from "../decide/decide.ts";
import type { Entry } from "../profile/profile.ts";
import { cover } from "./covers.ts";
import { candidates } from "./entry-index.ts";

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
      "shopt -s x; git status",
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

  it("without a ceiling covers neither the system nor what reaches beyond the program", () => {
    const rows: readonly [string, readonly string[], readonly string[]][] = [
      ["rm **", ["rm a", "rm /tmp/x"], ["rm /etc/passwd", "rm /usr/bin/x", "rm /var/log/x"]],
      [
        "cp **",
        ["cp a b", "cp -r a b", "cp a /tmp/b"],
        ["cp a /etc/b", "cp -t ~ .bashrc", "cp /etc/x b", "cp -rt / a"],
      ],
      ["mv **", ["mv a b"], ["mv /etc/passwd b", "mv a .git/hooks/x"]],
      ["find **", ["find /tmp -name x"], ["find . -fprint x", "find . -delete", "find . -exec make {} +"]],
      ["git **", ["git rebase main"], ["git rebase -x make", "git fetch --upload-pack=x o", "git log --output=x"]],
      ["tar **", ["tar xf a"], ["tar -I sh -xf a", "tar xf a --checkpoint-action=exec=sh", "tar xf a --to-command=sh"]],
      ["sort **", ["sort --frob a"], ["sort -o x a", "sort --compress-program=sh a"]],
      ["curl **", ["curl -s https://x.io"], ["curl -o x https://x.io", "curl -K x", "curl -T x https://x.io"]],
      ["rsync **", ["rsync -av a b"], ["rsync -e 'sh x' a b"]],
      ["ssh **", ["ssh h uptime"], ["ssh -o ProxyCommand=sh h", "ssh -o X=y h"]],
      ["sed **", ["sed -n 1p a", "sed -i s/a/b/ a"], ["sed '1e x' a", "sed 'w /tmp/x' a", "sed s/a/b/e a"]],
      ["foo **", ["foo a", "foo --out=/tmp/x"], ["foo --out=/etc/x", "foo ~/.bashrc", "foo -o/usr/x", "foo $X"]],
    ];
    for (const [pattern, covered, not] of rows) {
      for (const command of covered) assert.ok(allowlisted(command, pattern), command);
      for (const command of not) assert.ok(!allowlisted(command, pattern), command);
    }
  });

  it("never covers the floor", () => {
    const all: Entry = { pattern: "rm **", ceiling: { kinds: ["deletes", "credentials"], risk: "dangerous" } };
    assert.ok(allowlisted("rm -rf build", all));
    assert.ok(!allowlisted("rm -rf /", all));
    assert.ok(!allowlisted("rm ~/.countersign/x", all));
  });

  it("of a wrapper covers what it names and no more", () => {
    const apt: Entry = { pattern: "sudo apt **", ceiling: { kinds: ["privilege", "network-read"], risk: "dangerous" } };
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
  // Of the processor: on a busy machine more time goes by.
  const start = process.threadCpuUsage();
  for (let count = 0; count < 1_000; count += 1) run();
  assert.ok(process.threadCpuUsage(start).user < 500_000);
});

it("of ten thousand entries few are looked at, whatever they have in common", () => {
  const kinds: readonly ((index: number) => Entry)[] = [
    (index) => ({ pattern: `tool${index} **` }),
    (index) => ({ pattern: `npm run${index} **`, directory: "/home/me/project", code: {} }),
    (index) => ({ pattern: `npm test file${index}`, expiresAtMs: 5_000 }),
    (index) => ({ pattern: `npm test file${index}`, command: `npm test file${index} > x` }),
  ];
  for (const make of kinds) {
    const entries = Array.from({ length: 10_000 }, (_, index) => make(index));
    for (const command of ["tool77 x", "npm run77 x", "npm test file77 > x", "npm test", "ls"]) {
      const [part] = classify(command, context).parts;
      assert(part);
      assert.ok(candidates(entries, part, { nowMs: 1_000 }).length <= 1, command);
    }
  }
});

describe("an entry with a directory", () => {
  const here: Entry = { pattern: "make", directory: "/home/me/project/a" };
  it("covers only what runs inside of it", () => {
    for (const command of ["cd a && make", "cd a/b && make"]) assert.ok(allowlisted(command, here), command);
    for (const command of ["make", "cd ab && make", "cd a; make", "cd a/.. && make", "cd $X && make"])
      assert.ok(!allowlisted(command, here), command);
  });
  it("denies where it isn't certain that it runs elsewhere", () => {
    const profile = fixtureProfile({ security: "full", denylist: [here] });
    const denied = (command: string) =>
      decide(classify(command, context), profile, fixtureCircumstances()).by === "deny-entry";
    for (const command of ["cd a && make", "cd a; make", "cd $X; make"]) assert.ok(denied(command), command);
    for (const command of ["make", "cd b && make"]) assert.ok(!denied(command), command);
  });
});
