import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { PlaceIndex } from "../sensitive/place-index.ts";
import { Stamper } from "./entry-stamp.ts";
import { WorkspaceGuards } from "./guard-workspace.ts";
import { OpenLooks } from "./open-looks.ts";
import { Placeholders } from "./placeholders.ts";

const BY_AGENTS = [
  "opencode.json",
  "opencode.jsonc",
  "crush.json",
  ".crush.json",
  ".qwen/settings.json",
  ".aider.conf.yml",
  ".kilocode/mcp.json",
  ".roo/mcp.json",
  ".continue/config.json",
  ".windsurf/x",
  ".amp/settings.json",
  ".goose/config.yaml",
  ".cline/x",
  ".trae/mcp.json",
];
const BY_MISE = ["mise.toml", ".mise.toml", "mise.local.toml", ".mise/config.toml", ".config/mise/config.toml"];
/** What is text, or runs only once a person runs the tool. */
const OTHERS = [
  "CLAUDE.md",
  "AGENTS.md",
  "lefthook.yml",
  ".npmrc",
  "conftest.py",
  ".github/workflows/ci.yml",
  "rust-toolchain.toml",
];

function scene(t: TestContext) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "starts-")));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, "root");
  const put = (name: string, text = name) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  put("sub/file");
  const placeholders = new Placeholders(base);
  const quarantineDirectory = join(base, "quarantine");
  const guards = new WorkspaceGuards({
    index: new PlaceIndex(),
    stamper: new Stamper(),
    looks: new OpenLooks(base),
    quarantineDirectory,
  });
  const guard = (writes: readonly string[] = []) => {
    const full = writes.map((path) => join(root, path));
    return guards.guard(
      { root, home: "/home/u", writable: true, opensGit: false, writes: full, removes: [] },
      placeholders,
    );
  };
  return { root, put, guard };
}

const firstTwo = (path: string) => path.split("/").slice(0, 2).join("/");

test("WorkspaceGuards quarantine what agents and mise start by themselves", async (t) => {
  const { root, put, guard } = scene(t);
  const run = await guard();
  for (const name of [...BY_AGENTS, ...BY_MISE, ...OTHERS]) put(`sub/${name}`);
  const { quarantined, failed } = await run.finish("run");
  assert.deepEqual(failed, []);
  const gone = [...BY_AGENTS, ...BY_MISE].filter((name) => existsSync(join(root, "sub", name)));
  assert.deepEqual(gone, []);
  assert.ok(quarantined.some(({ path }) => firstTwo(path.slice(root.length + 1)) === "sub/mise.toml"));
  assert.deepEqual(
    OTHERS.filter((name) => !existsSync(join(root, "sub", name))),
    [],
  );
});

test("WorkspaceGuards keep a file that was approved for this write", async (t) => {
  const { root, put, guard } = scene(t);
  const approved = ["sub/mise.toml", "sub/opencode.json", "sub/.qwen/settings.json"];
  const run = await guard(approved);
  for (const name of [...approved, "sub/.mise.toml", "sub/crush.json"]) put(name);
  const { quarantined } = await run.finish("run");
  assert.deepEqual(quarantined.map(({ path }) => path.slice(root.length + 1)).sort(), [
    "sub/.mise.toml",
    "sub/crush.json",
  ]);
  for (const name of approved) assert.ok(existsSync(join(root, name)), name);
});

test("WorkspaceGuards hold an existing mise.toml read-only and put no placeholder at its name", async (t) => {
  const { root, put, guard } = scene(t);
  put("sub/mise.toml", "[env]");
  const run = await guard();
  assert.equal(existsSync(join(root, "mise.toml")), false);
  assert.ok(existsSync(join(root, ".vscode")), "a placeholder");
  assert.ok(run.steps.some((step) => step.do === "read-only" && step.path === join(root, "sub/mise.toml")));
  const { quarantined } = await run.finish("run");
  assert.deepEqual(quarantined, []);
  assert.equal(readFileSync(join(root, "sub/mise.toml"), "utf8"), "[env]");
});
