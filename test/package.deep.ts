import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Verdict {
  readonly whole: boolean;
  readonly count: number;
}

test("what is published, installed into an empty directory, is the whole command", async (t) => {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-package-")));
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  const dist = join(scratch, "dist");
  await run(process.execPath, [join(root, "packages/cli/publish/make-package.mjs"), dist]);

  await t.test("every file that a program names is in it", () => {
    for (const name of readdirSync(join(dist, "programs"))) {
      const code = readFileSync(join(dist, "programs", name), "utf8");
      for (const [, named = ""] of code.matchAll(/new URL\("(\.[^"]+\.js)", import\.meta\.url\)/g))
        assert(existsSync(join(dist, "programs", named)), `${name} starts ${named}`);
      assert(!code.includes(root), `${name} tells where it was made`);
    }
  });

  const countersign = await install(scratch, dist);
  const { version } = readManifest(join(root, "packages/cli"));
  assert.equal((await countersign("--version")).stdout, `${version}\n`);

  await t.test("it serves the page, runs what is proposed, and verifies what it has recorded", async (inner) => {
    const hub = await serve(inner, countersign.bin, countersign.options);
    const page = await fetch(hub.url);
    assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
    assert.match(await page.text(), /<script/);
    assert.equal((await countersign("exec", "--", "echo", "from the package")).stdout, "from the package\n");
    const verdict = JSON.parse((await countersign("receipts", "verify", "--json")).stdout) as Verdict;
    assert(verdict.whole && verdict.count > 0);
  });
});

type Command = ((...args: string[]) => Promise<{ stdout: string }>) & { bin: string; options: Options };

interface Options {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Without a network: what it depends on comes from what is installed here. */
async function install(scratch: string, dist: string): Promise<Command> {
  const [packed, empty] = [join(scratch, "packed"), join(scratch, "empty")];
  for (const dir of [packed, empty]) mkdirSync(dir);
  const env = {
    PATH: [dirname(process.execPath), process.env.PATH ?? ""].join(delimiter),
    HOME: scratch,
    COUNTERSIGN_HOME: join(scratch, "home"),
    npm_config_cache: join(scratch, "cache"),
    npm_config_offline: "true",
    // That it needs none is asserted by its running.
    npm_config_ignore_scripts: "true",
  };
  const dirs = [dist, ...dependenciesOf(dist)];
  await run("npm", ["pack", "--silent", "--pack-destination", packed, ...dirs], { cwd: scratch, env });
  const tarballs = readdirSync(packed).map((name) => join(packed, name));
  assert.equal(tarballs.length, dirs.length);
  await run("npm", ["install", "--silent", "--no-audit", "--no-fund", ...tarballs], { cwd: empty, env });
  const bin = join(empty, "node_modules/.bin/countersign");
  const options = { cwd: empty, env };
  return Object.assign((...args: string[]) => run(bin, args, options), { bin, options });
}

/** All that it needs, from whom it needs it. */
function dependenciesOf(dir: string, found = new Set<string>()): Set<string> {
  const { dependencies, optionalDependencies } = readManifest(dir);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const at = join(root, "node_modules", name);
    if (found.has(at) || !existsSync(at)) continue;
    found.add(at);
    dependenciesOf(at, found);
  }
  return found;
}

async function serve(t: TestContext, bin: string, options: Options): Promise<{ url: string }> {
  // With TLS: what makes certificates depends on the order in which its modules are loaded.
  const args = ["serve", "--json", "--port", "0", "--host", "127.0.0.2", "--tls"];
  const child = spawn(bin, args, { ...options, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  t.after(async () => {
    child.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null]);
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return JSON.parse(line) as { url: string };
}

function readManifest(dir: string): Manifest {
  return JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as Manifest;
}
