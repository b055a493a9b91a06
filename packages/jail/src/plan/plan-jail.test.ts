import assert from "node:assert/strict";
import { test } from "node:test";
import { ASSUMED_MACHINE, classify } from "@countersign/policy";
import { type JailPlan, planJail } from "./plan-jail.ts";

const WORKSPACE = ASSUMED_MACHINE.cwd;
const cut = (command: string) => planJail(classify(command, { ...ASSUMED_MACHINE, realpath: (path) => path }));

test("the jail is cut from what the command was predicted to do", () => {
  const nothing = { hosts: [], opensGit: false, reads: [], writes: [], removes: [] };
  const table: [string, Partial<JailPlan>][] = [
    ["ls", { ...nothing, kind: "read-only", reads: [WORKSPACE] }],
    ["cat /tmp/build.log", { ...nothing, kind: "read-only", reads: ["/tmp/build.log"] }],
    ["heroku ps", { ...nothing, kind: "read-only+network", hosts: ["heroku.com", "*.heroku.com"] }],
    ["heroku ps; fly status", { hosts: ["heroku.com", "*.heroku.com", "fly.io", "*.fly.io", "api.machines.dev"] }],
    ["heroku ps; curl -s https://x.example/a", { hosts: ["heroku.com", "*.heroku.com", "x.example"] }],
    ["npm view react", { ...nothing, kind: "read-only+network", hosts: ["registry.npmjs.org"] }],
    ["kubectl get pods", { ...nothing, kind: "read-only+network", hosts: [] }],
    ["terraform state show x", { ...nothing, kind: "read-only", hosts: [] }],
    [
      "cargo search serde",
      { ...nothing, kind: "workspace", hosts: ["crates.io", "index.crates.io", "static.crates.io"] },
    ],
    ["touch a", { ...nothing, kind: "workspace", writes: [`${WORKSPACE}/a`] }],
    ["npm test", { ...nothing, kind: "workspace" }],
    ["curl -s https://x.example/a", { ...nothing, kind: "workspace", hosts: ["x.example"] }],
    ["curl -s https://x.example/a; curl -s https://x.example/b", { kind: "workspace", hosts: ["x.example"] }],
    ["npm install left-pad", { kind: "workspace", hosts: "any" }],
    ["git commit -m x", { kind: "workspace", hosts: [], opensGit: true }],
    ["git status", { ...nothing, kind: "read-only" }],
    ["echo x > .git/hooks/pre-commit", { kind: "workspace", writes: [`${WORKSPACE}/.git/hooks/pre-commit`] }],
    ["eval $x", { ...nothing, kind: "workspace" }],
  ];
  for (const [command, expected] of table) {
    const found: Partial<JailPlan> = cut(command);
    const compared = Object.fromEntries(Object.keys(expected).map((key) => [key, found[key as keyof JailPlan]]));
    assert.deepEqual(compared, expected, command);
  }
});

test("planJail opens the hosts that the user's own settings name", () => {
  const context = { ...ASSUMED_MACHINE, hostsIn: () => ["cluster.example"] };
  assert.deepEqual(planJail(classify("kubectl get pods", context)).hosts, ["cluster.example"]);
});

test("what a person chose is what it gets, and reading alone opens nothing", () => {
  const push = classify("git push origin main", ASSUMED_MACHINE);
  assert.deepEqual(
    (["read-only", "read-only+network", "workspace", "open"] as const).map((kind) => {
      const { hosts, opensGit } = planJail(push, kind);
      return { kind, hosts, opensGit };
    }),
    [
      { kind: "read-only", hosts: [], opensGit: false },
      { kind: "read-only+network", hosts: "any", opensGit: false },
      { kind: "workspace", hosts: "any", opensGit: true },
      { kind: "open", hosts: "any", opensGit: true },
    ],
  );
});
