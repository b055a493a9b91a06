import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";

const guide = readFileSync(fileURLToPath(new URL("../docs/opensandbox.md", import.meta.url)), "utf8");
const block = (language: string, holding: string) => {
  const found = [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, text]) => text ?? "",
  );
  const text = found.find((one) => one.includes(holding));
  assert.ok(text, `no ${language} block with ${holding}`);
  return text;
};
const wrapper = block("sh", "#!/bin/sh");
const compose = block("yaml", "services:");

const EXECD_STATUS = 7;

/** What the guide's wrapper starts, by programs that note what becomes of them. */
class Stage {
  readonly #dir: string;
  readonly script: string;
  readonly env: Record<string, string>;

  constructor(t: TestContext) {
    this.#dir = mkdtempSync(join(tmpdir(), "countersign-guide-"));
    t.after(() => rmSync(this.#dir, { recursive: true }));
    const bin = join(this.#dir, "bin");
    mkdirSync(bin);
    const noting = (name: string, status: number) => `#!/bin/bash
note() { echo "${name} $*" >> '${this.#dir}/notes'; }
trap 'note ended; exit ${status}' TERM
note "$@"
until [ -e '${this.#dir}/${name}-ends' ]; do sleep 0.02; done
note by itself
exit ${status}
`;
    writeFileSync(join(bin, "execd"), noting("execd", EXECD_STATUS), { mode: 0o755 });
    writeFileSync(join(bin, "countersign"), noting("countersign", 0), { mode: 0o755 });
    this.script = join(this.#dir, "wrapper");
    writeFileSync(this.script, wrapper.replaceAll("/opt/opensandbox/execd", join(bin, "execd")), { mode: 0o755 });
    this.env = { PATH: `${bin}:${process.env.PATH}` };
  }

  get notes(): string[] {
    const file = join(this.#dir, "notes");
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  }

  end(name: string): void {
    writeFileSync(join(this.#dir, `${name}-ends`), "");
  }

  async noted(count: number): Promise<void> {
    for (let tries = 0; this.notes.length < count; tries += 1) {
      assert.ok(tries < 1_500, `only ${this.notes}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

for (const shell of ["sh", "bash"]) {
  test(`the guide's wrapper starts both, and ends the proxy first (${shell})`, async (t) => {
    const stage = new Stage(t);
    const child = spawn(shell, [stage.script, "--log-level", "5"], { env: stage.env, stdio: "ignore" });
    t.after(() => child.kill("SIGKILL"));
    const ended = new Promise((resolve) => child.once("close", resolve));
    await stage.noted(2);
    const started = stage.notes.toSorted();
    assert.match(
      started[0] ?? "",
      /^countersign execd proxy --listen 0\.0\.0\.0:44772 --execd http:\/\/127\.0\.0\.1:44773 /,
    );
    assert.equal(started[1], "execd --port 44773 --log-level 5");
    child.kill("SIGTERM");
    assert.equal(await ended, EXECD_STATUS);
    assert.deepEqual(stage.notes.slice(2), ["countersign ended", "execd ended"]);
  });
}

test("the guide's wrapper ends with execd, with its status, and lets the proxy deliver", async (t) => {
  const stage = new Stage(t);
  const child = spawn("sh", [stage.script], { env: stage.env, stdio: "ignore" });
  t.after(() => child.kill("SIGKILL"));
  const ended = new Promise((resolve) => child.once("close", resolve));
  await stage.noted(2);
  stage.end("execd");
  assert.equal(await ended, EXECD_STATUS);
  assert.deepEqual(stage.notes.slice(2), ["execd by itself", "countersign ended"]);
});

test("the guide's compose file puts everything where its wrapper looks for it", () => {
  assert.doesNotMatch(compose, /\t/);
  for (const line of compose.trimEnd().split("\n")) {
    assert.match(line, /^(?: {2})*(?:- \S.*|[A-Za-z_]+:(?: \S.*)?)$/, line);
    const list = /\[(.*)\]$/.exec(line);
    if (list) assert.ok(Array.isArray(JSON.parse(`[${list[1]}]`)), line);
  }
  const option = (name: string) => new RegExp(`${name} (\\S+)`).exec(wrapper)?.[1] ?? assert.fail(name);
  const volumes = [...compose.matchAll(/^ {6}- (\S+)$/gm)].map(([, volume]) => volume);
  assert.deepEqual(volumes, [`./sbx-7f3a.pem:${option("--bundle")}:ro`, `state:${option("--state")}`]);
  assert.match(compose, /^volumes:\n {2}state:$/m);
  const relay = new URL(option("--relay"));
  assert.ok(compose.includes(`extra_hosts: ["${relay.hostname}:host-gateway"]`));
  assert.ok(guide.includes(`ca issue --ca sandbox-ca --relay --host ${relay.hostname}`));
  assert.equal(relay.port, "44780");
  const port = option("--listen").split(":")[1];
  assert.ok(compose.includes(`ports: ["127.0.0.1:${port}:${port}"]`));
  const named = /mounted as `(\S+)`:/.exec(guide)?.[1];
  assert.ok(compose.includes(`EXECD: ${named}`));
  assert.match(compose, /OPENSANDBOX_ID: sbx-7f3a/);
});
