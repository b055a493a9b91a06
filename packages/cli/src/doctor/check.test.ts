import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { homeAt } from "@countersign/core/config";
import { installHook } from "../agents/install.ts";
import { settingsPath } from "../agents/places.ts";
import { checkAliases } from "./aliases.ts";
import { askCodex } from "./ask-codex.ts";
import { checkFound, checkStanding, standings } from "./check-agents.ts";
import { checkPath, checkPermissions, checkRecorder, checkStore } from "./check-home.ts";
import { recorderOf } from "./recorder-of.ts";

async function connected(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), "cs-doctor-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const [cwd, userHome, home] = [join(root, "work"), join(root, "user"), join(root, "home")];
  for (const dir of [cwd, userHome]) mkdirSync(dir);
  const machine = { userHome, cwd, env: { PATH: "" }, platform: "linux", root } as const;
  await installHook({ agent: "claude-code", scope: "user", home, node: process.execPath, machine }, { print: false });
  const settings = settingsPath("claude-code", "user", machine) ?? assert.fail();
  /** Everything but what only a hub can tell. */
  const look = async () => {
    const [standing] = standings(machine);
    assert(standing);
    const findings = await checkStanding(standing, { machine, hubs: undefined });
    for (const { state, remedy } of findings) assert.equal(remedy === undefined, state === "ok");
    return findings.filter(({ check }) => !check.includes("your hub")).map(({ state, says }) => `${state}: ${says}`);
  };
  return { machine, home, settings, look };
}

test("an agent's settings are whole, or it is told what would not be denied", async (t) => {
  const { machine, settings, home, look } = await connected(t);
  const whole = readFileSync(settings, "utf8");
  assert.deepEqual(
    (await look()).map((line) => line.slice(0, 4)),
    ["ok: ", "ok: "],
  );
  for (const [changed, said] of [
    [whole.replace('"matcher": "*"', '"matcher": "Bash"'), /^open: .* lacks or differs: PreToolUse$/],
    [whole.replace('"onFailure": "block"', '"onFailure": "continue"'), /^open: .*PreToolUse$/],
    [whole.replace('"PostToolUse"', '"PostToolUseX"'), /^warn: .*PostToolUse$/],
    [whole.replaceAll("exit 2", "exit 0"), /^open: what stands in .* isn't what install wrote$/],
    [whole.replaceAll("540000", "999999"), /^open: .*the deadline$/],
    [`${whole.slice(0, -3)},}`, /^open: .*line \d+/],
  ] as const) {
    assert.notEqual(changed, whole);
    writeFileSync(settings, changed);
    assert(
      (await look()).some((line) => said.test(line)),
      `${said}: ${await look()}`,
    );
  }
  writeFileSync(settings, whole);
  writeFileSync(settings, whole.replace("{", '{"disableAllHooks":true,'));
  assert((await look()).some((line) => /^open: our hook isn't run: .*disableAllHooks/.test(line)));
  writeFileSync(settings, whole);
  const hook = join(home, "hook", "countersign-hook.cjs");
  writeFileSync(hook, "// another version");
  assert((await look()).some((line) => /^warn: .*another version's/.test(line)));
  chmodSync(hook, 0o602);
  assert((await look()).some((line) => /^open: anybody can change/.test(line)));
  rmSync(hook);
  assert((await look()).some((line) => /^fail: .*everything is denied/.test(line)));
  assert.deepEqual(checkFound(machine), []);
  rmSync(settings);
  assert.deepEqual(
    checkFound(machine).map(({ remedy }) => remedy),
    ["countersign install claude-code"],
  );
});

test("the home: permissions, config, store, PATH", async (t) => {
  const { home: dir } = await connected(t);
  const home = homeAt(dir);
  assert.deepEqual(
    checkPermissions(home).map(({ state }) => state),
    ["ok"],
  );
  chmodSync(join(home.keys, "hub.key"), 0o644);
  assert.deepEqual(
    checkPermissions(home).map(({ state }) => state),
    ["fail"],
  );
  assert.deepEqual(
    (await checkStore(home, 0)).map(({ state }) => state),
    ["warn"],
  );
  writeFileSync(home.database, "no database at all");
  assert.deepEqual(
    (await checkStore(home, 0)).map(({ state }) => state),
    ["fail"],
  );
  writeFileSync(home.config, "{");
  assert.equal(recorderOf(home).finding?.state, "fail");
  writeFileSync(home.config, '{"receipts":{"recorder":"/nowhere/recorder.sock"}}');
  assert.equal(checkRecorder(recorderOf(home).socket).state, "fail");
  assert.deepEqual(
    [checkPath("/usr/bin"), checkPath("/usr/bin::."), checkPath(undefined)].map(({ state }) => state),
    ["ok", "warn", "warn"],
  );
});

test("aliases of known tools are read from the shell's files, which are never run", async (t) => {
  const { machine } = await connected(t);
  writeFileSync(
    join(machine.userHome, ".bashrc"),
    "alias ls='rm -rf'\nalias -- notatool=x\nalias head='head -n'\n grep() {\n touch ran\nfunction cat\n# alias cp=x\n",
  );
  const { says } = checkAliases(machine.userHome);
  assert.match(says, /^3 shadow tools .*: ls \(~\/\.bashrc\), grep \(~\/\.bashrc\), cat/);
  assert.equal(checkAliases(undefined).state, "ok");
});

test("Codex is asked itself whether it runs our hooks", async (t) => {
  const { machine } = await connected(t);
  const program = join(machine.cwd, "codex");
  const saying = async (hooks: unknown) => {
    const answer = JSON.stringify({ id: 2, result: { data: [{ cwd: "/", hooks }] } });
    const script = `#!/bin/sh\nread -r a; echo '{"id":1,"result":{}}'; echo nonsense; read -r b; read -r c; echo '${answer}'; read -r d\n`;
    writeFileSync(program, script, { mode: 0o755 });
    return (await askCodex(program, machine.cwd)).state;
  };
  const ours = { command: "node /h/countersign-hook.cjs", eventName: "preToolUse", enabled: true };
  const others = { command: "audit", trustStatus: "untrusted", enabled: true };
  assert.equal(await saying([others, { ...ours, trustStatus: "trusted" }, { ...ours, trustStatus: "managed" }]), "ok");
  assert.equal(await saying([{ ...ours, trustStatus: "modified" }]), "open");
  assert.equal(await saying([{ ...ours, trustStatus: "trusted", enabled: false }]), "open");
  assert.equal(await saying([others]), "open");
  writeFileSync(program, "#!/bin/sh\nexit 3\n", { mode: 0o755 });
  assert.equal((await askCodex(program, machine.cwd)).state, "skip");
  assert.equal((await askCodex("/nowhere/codex", machine.cwd)).state, "skip");
});

test("checkPath passes over directories that it can't look at", () => {
  assert.equal(checkPath(`/usr/bin:/${"a".repeat(300)}`).state, "ok");
});
