import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { before, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { startRegistry } from "./loopback-registry.ts";
import { dependenciesOf, type Packed, pack, readManifest, root, run } from "./packed.ts";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-package-")));
const dist = join(scratch, "dist");
let command: Packed;
let packed: readonly Packed[];

before(async () => {
  await run(process.execPath, [join(root, "packages/cli/publish/make-package.mjs"), dist]);
  packed = await pack([dist, ...dependenciesOf(dist)], join(scratch, "packed"));
  command = packed[0] ?? assert.fail();
});

test.after(() => rmSync(scratch, { recursive: true, force: true }));

test("the command packs the files that are committed in test/published", (t) => {
  assert.equal(command.manifest.name, "countersign");
  // `node --test --test-update-snapshots test/package.deep.ts` rewrites them.
  t.assert.fileSnapshot(command.files, join(root, "test/published/countersign.txt"), {
    serializers: [(files: string[]) => `${[...new Set(files.map(withoutHash))].sort().join("\n")}\n`],
  });
});

/** The bundler divides the programs into files as it likes, and names each after one of its modules and its content. */
function withoutHash(file: string): string {
  return file.replace(/^(programs|web\/dist\/assets)\/.+-[\w-]{8}(\.\w+)$/, "$1/<name>-<hash>$2");
}

test("publint finds nothing in the command", async () => {
  const { buffer } = new Uint8Array(readFileSync(command.tarball));
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg, { color: false })),
    [],
  );
});

test("every file that a program of the command names is packed", () => {
  for (const name of readdirSync(join(dist, "programs"))) {
    const code = readFileSync(join(dist, "programs", name), "utf8");
    for (const [, named = ""] of code.matchAll(/new URL\("(\.[^"]+\.js)", import\.meta\.url\)/g))
      assert(existsSync(join(dist, "programs", named)), `${name} starts ${named}`);
    assert(!code.includes(root), `${name} contains the path of the repository`);
  }
});

test("the installed command serves the page, runs commands and verifies receipts", async (t) => {
  const user = new User("installed", [dirname(process.execPath)]);
  mkdirSync(join(user.home, "empty"));
  const tarballs = packed.map(({ tarball }) => tarball);
  const installed = { ...user.options, cwd: join(user.home, "empty") };
  await run("npm", ["install", "--offline", "--ignore-scripts", ...tarballs], installed);
  const bin = join(installed.cwd, "node_modules/.bin/countersign");
  const countersign = async (...args: string[]) => (await run(bin, args, installed)).stdout;

  assert.equal(await countersign("--version"), `${readManifest(join(root, "packages/cli")).version}\n`);
  assert.match(await countersign("demo"), /ledger: \d+ receipts, whole/);
  const { url } = await serve(t, [bin], installed);
  const page = await fetch(url);
  assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  assert.match(await page.text(), /<script/);
  assert.equal(await countersign("exec", "--", "echo", "from the package"), "from the package\n");
  const verdict = JSON.parse(await countersign("receipts", "verify", "--json"));
  assert(verdict.whole && verdict.count > 0);
});

test("npx brings the command and its Node to a machine with an older one", async (t) => {
  const node = findOldNode();
  if (!node) return t.skip("install a Node older than 24 with npm (apt-get install nodejs npm)");
  const registry = await startRegistry(packed);
  t.after(registry.close);
  const user = new User("npx", [dirname(node)], { npm_config_registry: registry.url });
  const settings = join(user.home, ".claude/settings.json");
  mkdirSync(dirname(settings));
  const stop = '"Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }]';
  writeFileSync(settings, `{\n    "model": "opus",\n    "hooks": { ${stop} }\n}`);
  const project = join(user.home, "project");
  mkdirSync(project);
  const options = { ...user.options, cwd: project };
  const npx = ["npx", "--yes", "countersign"] as const;
  const countersign = async (...args: string[]) => (await run("npx", [...npx.slice(1), ...args], options)).stdout;

  assert.match(await countersign("demo"), /ledger: \d+ receipts, whole/);
  // npx has put the pinned Node first on PATH. Without npx the older one starts, and hands over.
  const [bin = ""] = globSync(".npm/_npx/*/node_modules/countersign/cli/bin/countersign.js", { cwd: user.home });
  const { version } = command.manifest;
  assert.equal((await run(node, [join(user.home, bin), "--version"], options)).stdout, `${version}\n`);
  const asFound = user.files();

  await serve(t, npx, options);
  assert.match(await countersign("install", "claude-code"), /Claude Code asks before it uses a tool/);
  assert.notDeepEqual(user.files(), asFound);
  const { hooks } = JSON.parse(readFileSync(settings, "utf8"));
  const answer = askAsClaudeCode(t, hooks.PreToolUse[0].hooks[0].command, "mkdir made-by-claude", project);
  const waiting = await waitForPending(countersign);
  assert.equal(waiting.command, "mkdir made-by-claude");
  await countersign("approve", waiting.approvalId);
  const { hookSpecificOutput } = JSON.parse(await answer);
  assert.equal(hookSpecificOutput.permissionDecision, "allow");
  await run("/bin/sh", ["-c", hookSpecificOutput.updatedInput.command], {
    cwd: project,
    env: { PATH: "/usr/bin:/bin" },
  });
  assert(existsSync(join(project, "made-by-claude")));
  rmSync(join(project, "made-by-claude"), { recursive: true });

  assert.match(await countersign("uninstall", "claude-code"), /Claude Code no longer asks/);
  assert.deepEqual(user.files(), asFound);
});

interface Options {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly maxBuffer: number;
}

/** Somebody with a home directory of their own, empty at first, and these directories on their PATH before the system's. */
class User {
  readonly home: string;
  readonly options: Options;

  constructor(name: string, path: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.home = join(scratch, name);
    mkdirSync(this.home);
    const own = { HOME: this.home, COUNTERSIGN_HOME: join(this.home, ".countersign"), npm_config_loglevel: "error" };
    const quiet = { npm_config_audit: "false", npm_config_fund: "false", npm_config_update_notifier: "false" };
    this.options = {
      cwd: this.home,
      env: { PATH: [...path, "/usr/bin", "/bin"].join(delimiter), ...own, ...quiet, ...env },
      maxBuffer: 64 * 1024 * 1024,
    };
  }

  /** The content of each file but npm's and Countersign's own. */
  files(): Readonly<Record<string, string>> {
    const paths = readdirSync(this.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const others = paths.filter((path) => !/^\/\.(?:npm|countersign)\//.test(path.slice(this.home.length)));
    return Object.fromEntries(others.map((path) => [path, readFileSync(path, "utf8")]));
  }
}

/** The first Node on PATH that didn't come with this repository, if it is older than the one that we need. */
function findOldNode(): string | undefined {
  const dirs = (process.env.PATH ?? "").split(delimiter).filter((dir) => !dir.includes("node_modules"));
  const found = dirs.map((dir) => join(dir, "node")).find((path) => existsSync(path));
  const version = found && spawnSync(found, ["--version"], { encoding: "utf8" }).stdout;
  return Number(/^v(\d+)/.exec(version ?? "")?.[1]) < 24 ? found : undefined;
}

async function serve(
  t: TestContext,
  [file = "", ...args]: readonly string[],
  options: Options,
): Promise<{ url: string }> {
  // With TLS: what makes certificates depends on the order in which its modules are loaded.
  const words = ["serve", "--json", "--port", "0", "--host", "127.0.0.2", "--tls"];
  const child = spawn(file, [...args, ...words], { ...options, detached: true, stdio: ["ignore", "pipe", "inherit"] });
  const [ended, closed] = [once(child, "exit"), once(child.stdout, "close")];
  t.after(async () => {
    // npx doesn't forward signals: the hub gets its own.
    process.kill(-(child.pid ?? 0), "SIGTERM");
    await closed;
    if (file !== "npx") assert.deepEqual(await ended, [0, null]);
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return JSON.parse(line) as { url: string };
}

/** Runs the hook's command of an agent's settings as Claude Code does, and returns what it writes. */
async function askAsClaudeCode(t: TestContext, hook: string, proposed: string, cwd: string): Promise<string> {
  const child = spawn("/bin/sh", ["-c", hook], { cwd, detached: true, stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => child.exitCode ?? process.kill(-(child.pid ?? 0)));
  const event = {
    session_id: "s1",
    transcript_path: "/dev/null",
    cwd,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: proposed },
    tool_use_id: "t1",
  };
  child.stdin.end(JSON.stringify(event));
  return await text(child.stdout);
}

async function waitForPending(countersign: (...args: string[]) => Promise<string>) {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const found = JSON.parse(await countersign("pending", "--json"));
    if (found.length > 0) return found[0];
    await sleep(500);
  }
  throw new Error("the hook's question didn't reach the inbox");
}
