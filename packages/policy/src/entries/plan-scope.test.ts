import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fixtureContext } from "../../test/support/fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "../../test/support/fixture-profile.ts";
import { classify } from "../classify/classify.ts";
import { decide } from "../decide/decide.ts";
import type { Circumstances } from "../profile/circumstances.ts";
import { offerScopes, planScope, readScope, type ScopeSetting } from "./scopes.ts";

const REPOSITORY = "/home/me/project/repo";
/** Where `from` was proposed; commands are `directory: command`, or run there too. */
const HERE = `${REPOSITORY}/app`;
const ROOT = "/home/me/project";
const files = new Map([
  [`${HERE}/package.json`, "one"],
  [`${HERE}/Makefile`, "two"],
  [`${HERE}/x.sh`, "three"],
]);
const hashFile = (path: string) => files.get(path) ?? null;

function setting(changes: Partial<ScopeSetting> = {}, at: Partial<Circumstances> = {}): ScopeSetting {
  const circumstances = fixtureCircumstances({ enforcement: "none", hashFile, ...at });
  return { profile: fixtureProfile(), circumstances, roots: [ROOT], cwd: HERE, repository: REPOSITORY, ...changes };
}

function classifyAt(text: string) {
  const [, directory = HERE, command = text] = /^(\/[^:]*): (.*)$/.exec(text) ?? [];
  return classify(command, fixtureContext({ cwd: directory, roots: [ROOT] }));
}

function plan(scope: string, command: string, about = setting()) {
  const read = readScope(scope);
  assert(read, scope);
  return planScope(read, classifyAt(command), about);
}

/** What is decided about a command once the answer was given. */
function after(scope: string, from: string, command: string, at: Partial<Circumstances> = {}): string {
  const about = setting({}, at);
  const made = plan(scope, from, about);
  assert(!("refusal" in made), `${scope} ${from}: ${"refusal" in made ? made.refusal : ""}`);
  const { verdict, by } = decide(classifyAt(command), about.profile, { ...about.circumstances, allowed: made });
  return verdict === "allow" ? `${verdict} by ${by}` : verdict;
}

const REACH: readonly { scope: string; from: string; covers: readonly string[]; asks: readonly string[] }[] = [
  {
    scope: "exact@session",
    from: "npm test > out.txt 2>&1",
    covers: ["npm test > out.txt 2>&1", "  npm test > out.txt 2>&1 "],
    asks: [
      "npm test",
      "npm test > other.txt 2>&1",
      `${REPOSITORY}: npm test > out.txt 2>&1`,
      "npm  test > out.txt 2>&1",
    ],
  },
  {
    scope: "exact@session",
    from: "rm -rf build",
    covers: ["rm -rf build"],
    asks: [`${HERE}/sub: rm -rf build`, `${REPOSITORY}: rm -rf build`, "rm -rf build dist", "rm -rf ./build"],
  },
  {
    scope: "exact@repository",
    from: "rm -rf build",
    covers: ["rm -rf build"],
    asks: [`${REPOSITORY}: rm -rf build`, `${HERE}/sub: rm -rf build`],
  },
  {
    scope: "exact@directory",
    from: "mkdir made",
    covers: ["mkdir made", `${HERE}/sub: mkdir made`],
    asks: [`${REPOSITORY}: mkdir made`, `${ROOT}: mkdir made`, "mkdir other"],
  },
  {
    scope: "exact@repository",
    from: "mkdir made",
    covers: [`${REPOSITORY}: mkdir made`, `${REPOSITORY}/other: mkdir made`],
    asks: [`${ROOT}: mkdir made`, `${ROOT}/repository-not: mkdir made`, "mkdir ../made"],
  },
  { scope: "exact@forever", from: "mkdir made", covers: [`${ROOT}: mkdir made`], asks: ["/tmp: mkdir made"] },
  {
    scope: "exact@60m",
    from: "git push origin main && mkdir made",
    covers: ["git push origin main && mkdir made"],
    asks: ["git push origin main", "mkdir made", `${ROOT}: git push origin main && mkdir made`],
  },
  { scope: "exact@session", from: "FOO=1 make", covers: ["FOO=1 make"], asks: ["make", "FOO=2 make"] },
  { scope: "exact@session", from: "./x.sh a", covers: ["./x.sh a"], asks: ["./x.sh", "./y.sh a"] },
  {
    scope: "program@session",
    from: "npm test",
    covers: ["npm test", "/usr/bin/npm test"],
    asks: ["npm publish", "npm test > out.txt", "npm test --watch"],
  },
  {
    scope: "program@repository",
    from: "touch a",
    covers: ["touch b", `${REPOSITORY}/other: touch c`],
    asks: [`${ROOT}: touch a`, "touch ../../x", "touch a > b", "sudo touch a"],
  },
  {
    scope: "pattern:npm run **@43200m",
    from: "npm run build",
    covers: ["npm run lint", "npm run build --watch"],
    asks: ["npm publish", "npm test", "npm run build > x", "/tmp: npm run build", "npm run $X"],
  },
  {
    scope: "pattern:touch *@session",
    from: "touch a",
    covers: ["touch b"],
    asks: ["touch a b", "touch /tmp/x", "touch .git/hooks/x"],
  },
];

describe("what an answer with a scope lets through afterwards", () => {
  for (const { scope, from, covers, asks } of REACH) {
    it(`${scope} of ${from}`, () => {
      for (const command of covers) assert.equal(after(scope, from, command), "allow by entry", command);
      for (const command of asks) assert.equal(after(scope, from, command), "ask", command);
    });
  }

  it("never the floor, an opaque command, or what comes with an environment that wasn't seen", () => {
    for (const command of ["rm -rf ~", "shopt -s x; make", "touch $X", "git $X"]) {
      for (const match of ["exact", "program", "effects", "pattern:rm **", "pattern:make"]) {
        assert.ok("refusal" in plan(`${match}@session`, command), `${match} ${command}`);
      }
    }
    const about = setting();
    const made = plan("exact@session", "FOO=1 make", about);
    assert(!("refusal" in made));
    const context = fixtureContext({ cwd: HERE, roots: [ROOT], env: { BAR: "1" } });
    const decision = decide(classify("FOO=1 make", context), about.profile, { ...about.circumstances, allowed: made });
    assert.equal(decision.verdict, "ask");
    const fromEnv = planScope(
      { match: { kind: "exact" }, extent: { kind: "session" } },
      classify("make", context),
      about,
    );
    assert.ok("refusal" in fromEnv);
  });
});

describe("code that can change", () => {
  const changed = (path: string, hash: string | null) => ({
    hashFile: (asked: string) => (asked === path ? hash : hashFile(asked)),
  });
  const decided = (scope: string, from: string, at: Partial<Circumstances>) => {
    const made = plan(scope, from);
    assert(!("refusal" in made));
    const circumstances = fixtureCircumstances({ enforcement: "none", hashFile, ...at, allowed: made });
    return decide(classifyAt(from), fixtureProfile(), circumstances).verdict;
  };
  const rows = [
    ["npm test", `${HERE}/package.json`],
    ["make", `${HERE}/Makefile`],
    ["bash x.sh a", `${HERE}/x.sh`],
  ] as const;
  for (const [command, path] of rows) {
    for (const scope of ["exact@session", "program@session"]) {
      it(`${scope} of ${command} holds it`, () => {
        assert.equal(decided(scope, command, {}), "allow");
        assert.equal(decided(scope, command, changed(path, "other")), "ask");
        assert.equal(decided(scope, command, changed(path, null)), "ask");
        assert.equal(decided(scope, command, { hashFile: undefined }), "ask", "nobody looked");
      });
    }
  }
  it("a file that would run instead of the one that was seen counts", () => {
    assert.equal(decided("exact@session", "make", changed(`${HERE}/GNUmakefile`, "new")), "ask");
    assert.equal(decided("exact@session", "make", changed(`${REPOSITORY}/Makefile`, "new")), "allow");
    assert.equal(decided("exact@session", "npm test", changed(`${REPOSITORY}/package.json`, "new")), "allow");
  });
  it("is said plainly where it isn't held", () => {
    for (const command of ["npx eslint .", "make -C sub", "bash < x.sh"]) {
      const made = plan("exact@session", command);
      assert.match("note" in made ? (made.note ?? "") : "", /doesn't hold the code that it runs/, command);
    }
    const made = plan("exact@session", "touch a");
    assert.equal("note" in made, false);
  });
});

describe("what is refused", () => {
  const refuses = (scope: string, command: string, about = setting()) => {
    const made = plan(scope, command, about);
    return "refusal" in made ? made.refusal : undefined;
  };
  it("anything but the exact command, where it is dangerous", () => {
    for (const match of ["program", "effects", "pattern:rm -rf *"])
      assert.match(refuses(`${match}@session`, "rm -rf build") ?? "", /only the exact command/);
  });
  it("a pattern that doesn't fit, doesn't fit everything, or is too wide", () => {
    const rows = [
      ["pattern:npm publish", "npm test", /fits nothing/],
      ["pattern:npm **", "npm test && make", /would not cover/],
      ["pattern:npm **", "npm test > x", /would not cover/],
      ["pattern:**", "npm test", /begin with a program/],
      ["pattern:n* test", "npm test", /begin with a program/],
      ["pattern:bash **", "bash x.sh", /whatever bash runs/],
      ["pattern:bash -x **", "bash -x x.sh", /whatever bash runs/],
      ["pattern:npx *", "npx eslint .", /whatever npx runs/],
      ["pattern:env **", "env npm test", /whatever env runs/],
      [`pattern:npm ${"x".repeat(5_000)}`, "npm test", /too long/],
    ] as const;
    for (const [match, command, why] of rows) assert.match(refuses(`${match}@session`, command) ?? "", why, match);
  });
  it("the exact command where other code could run under the same words", () => {
    for (const command of ["PATH=./bin make", "LD_PRELOAD=./x.so make"])
      assert.ok(refuses("exact@session", command), command);
    assert.match(refuses("exact@session", `echo ${"x".repeat(5_000)} > out`) ?? "", /too long/);
  });
  it("an extent that isn't there", () => {
    assert.match(refuses("exact@repository", "mkdir a", setting({ repository: undefined })) ?? "", /no repository/);
    for (const extent of ["forever", "directory"])
      assert.match(refuses(`effects@${extent}`, "mkdir a") ?? "", /for a session, for minutes or for a repository/);
    assert.match(refuses("effects@session", "mkdir a", setting({ cwd: "/elsewhere" })) ?? "", /workspace/);
  });
});

describe("effects", () => {
  const jail = { enforcement: "jail" } as const;
  it("inside the root are let through in a jail, and nowhere else", () => {
    for (const command of ["npm test", "mkdir a && make > log.txt", "./x.sh", "rm a.txt", "FOO=1 make", "ls -R"])
      assert.equal(after("effects@session", "npm test", command, jail).slice(0, 5), "allow", command);
    assert.equal(after("effects@session", "npm test", "npm test", jail), "allow by grant");
    assert.equal(after("effects@session", "npm test", "ls", jail), "allow by policy");
    for (const enforcement of ["enforced", "advisory", "none"] as const)
      assert.equal(after("effects@session", "npm test", "npm test", { enforcement }), "ask");
  });
  it("of any other kind or place ask", () => {
    const commands = [
      "rm -rf build",
      "curl https://x.io",
      "touch /tmp/x",
      "cat /etc/passwd",
      "sudo make",
      "kill 1",
      "cat .env",
      "git push --force",
      "LD_PRELOAD=x make",
      "echo x > .git/hooks/pre-commit",
      "make &",
      "shopt -s x; make",
      "touch $X",
      "eval make",
      "rm -rf /",
      "echo x > .countersign/policy.json",
      "cd /tmp && make",
      `${ROOT}: touch ../x`,
    ];
    for (const command of commands) assert.equal(after("effects@session", "npm test", command, jail), "ask", command);
    assert.equal(after("effects@repository", "npm test", `${ROOT}: make`, jail), "ask");
    assert.equal(after("effects@repository", "npm test", `${REPOSITORY}/other: make`, jail), "allow by grant");
    assert.equal(after("effects@repository", "npm test", "cd ../../elsewhere && make", jail), "ask");
  });
  it("say where they don't apply yet, and are only granted with a command that they cover", () => {
    const made = plan("effects@session", "npm test");
    assert.deepEqual("refusal" in made ? undefined : made.grants, [{ root: ROOT }]);
    assert.match("note" in made ? (made.note ?? "") : "", /jail/);
    assert.deepEqual(plan("effects@30m", "npm test", setting({}, jail)), { entries: [], grants: [{ root: ROOT }] });
    assert.ok("refusal" in plan("effects@session", "curl https://x.io", setting({}, jail)));
  });
});

describe("what is offered", () => {
  const offered = (command: string, about = setting()) =>
    offerScopes(classifyAt(command), about).map(({ scope, words }) => `${scope} · ${words}`);
  it("begins with the narrowest and ends with the broadest", () => {
    assert.deepEqual(offered("npm run build"), [
      "exact@session · This exact command, this session",
      "exact@repository · This exact command, in this repository",
      "exact@forever · This exact command, for ever",
      "pattern:npm run **@43200m · Commands that fit `npm run **`, in this workspace, 30 days",
      `effects@session · Anything that stays in ${ROOT}, without network, jailed, this session`,
      "program@session · `npm run build …` with what was seen here, this session",
      "program@repository · `npm run build …` with what was seen here, in this repository",
      "program@forever · `npm run build …` with what was seen here, for ever (broad)",
    ]);
  });
  it("is the exact command only, where it is dangerous", () => {
    assert.deepEqual(offered("rm -rf build"), [
      "exact@session · This exact command, this session",
      "exact@directory · This exact command, in this directory",
    ]);
  });
  it("is nothing that would be refused", () => {
    assert.deepEqual(offered("rm -rf ~"), []);
    assert.deepEqual(offered("shopt -s x; make"), []);
    assert.deepEqual(
      offered("mkdir a", setting({ repository: undefined })).filter((one) => one.includes("repository")),
      [],
    );
    for (const command of ["npm test", "rm -rf x", "echo a > b", "sudo apt update", "make && ls"]) {
      for (const { scope } of offerScopes(classifyAt(command), setting())) {
        assert.ok(!("refusal" in plan(scope, command)), `${scope} ${command}`);
      }
    }
  });
});

it("a pattern for a tool that takes a program's text doesn't reach other places", () => {
  const answer = (command: string) => after("pattern:sed **@session", "sed -i s/a/b/ f", command);
  assert.equal(answer("sed -i s/c/d/ f g"), "allow by entry");
  assert.equal(answer("sed -i /c/d f"), "allow by entry");
  for (const command of [
    "sed -i s/a/b/ /home/you/f",
    "sed -i d /home/you/f",
    "sed -i d '/home/you/a b'",
    "sed -i -e d /home/you/f",
    "sed --expression=d -i /home/you/f",
    "sed -i -f x.sed /home/you/f",
  ])
    assert.equal(answer(command), "ask", command);
});
