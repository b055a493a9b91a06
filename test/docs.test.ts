import assert from "node:assert/strict";
import { exec, spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { silentLog } from "@countersign/core/base";
import { type Served, serve } from "@countersign/hub";

const root = fileURLToPath(new URL("..", import.meta.url));
const documents = ["README.md", ...globSync("docs/**/*.md", { cwd: root }).sort()];

interface Step {
  readonly command: string;
  readonly expected: string;
}

/** `console` blocks: `$ command`, then what it prints; `…` stands for anything on that line. */
function stepsIn(document: string): Step[] {
  const text = readFileSync(join(root, document), "utf8");
  return [...text.matchAll(/^```console\n([\s\S]*?)^```/gm)].flatMap(([, block = ""]) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = "", ...lines] = part.split("\n");
        return { command, expected: lines.join("\n") };
      }),
  );
}

function toPattern(expected: string): RegExp {
  const literal = expected.trimEnd().replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replaceAll("…", ".*")}\\s*$`);
}

let scratch: string;
let server: Served;
let env: NodeJS.ProcessEnv;

before(async () => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-docs-")));
  const workspace = join(scratch, "workspace");
  mkdirSync(workspace);
  server = await serve({ homeDir: join(scratch, "home"), cwd: workspace, port: 0, log: silentLog });
  const bin = join(scratch, "bin");
  mkdirSync(bin);
  const bundles = process.env.COUNTERSIGN_BUNDLED_PROGRAMS;
  const main = bundles ? join(bundles, "cli_src_main.js") : join(root, "packages/cli/bin/countersign.js");
  writeFileSync(join(bin, "countersign"), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 });
  // Under npm the hints say `npx countersign`; the documents show what a plain shell prints.
  const plain = Object.entries(process.env).filter(([name]) => !name.startsWith("npm_"));
  env = {
    ...Object.fromEntries(plain),
    // Agents' settings are in the user's home: not in the one of whoever runs the tests.
    HOME: scratch,
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(":"),
    COUNTERSIGN_HOME: server.home.dir,
    COUNTERSIGN_URL: server.url,
    COUNTERSIGN_TOKEN: readFileSync(server.home.token, "utf8").trim(),
  };
});

after(async () => {
  await server.close();
  rmSync(scratch, { recursive: true, force: true });
});

for (const document of documents) {
  for (const { command, expected } of stepsIn(document)) {
    test(`${document}: ${command}`, async (t) => {
      const tool = command.split(" ")[0] ?? "";
      if (spawnSync("sh", ["-c", `command -v ${tool}`], { env }).status !== 0)
        return t.skip(`install ${tool} to run this`);
      const { stdout, stderr } = await run(command);
      assert.match(stdout + stderr, toPattern(expected));
    });
  }
}

test("the README's commands are among the replayed ones", () => {
  assert.ok(stepsIn("README.md").some(({ command }) => command === "countersign demo"));
});

/** Asynchronous: the server that it talks to lives in this process. */
async function run(command: string): Promise<{ stdout: string; stderr: string }> {
  return await new Promise((resolve) => {
    exec(command, { env, cwd: join(scratch, "workspace"), shell: "/bin/bash" }, (_, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });
}
