import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { AGENTS, type HookedAgent } from "@countersign/protocol/access";
import type { AgentScope } from "@countersign/vocabulary";
import { parse } from "smol-toml";
import { disabledHooks } from "./disabled-hooks.ts";
import { findAgents } from "./find-agents.ts";
import { readHookCommand } from "./hook-command.ts";
import { isShippedAs, renewHookFiles } from "./hook-files.ts";
import { installHook, type Place, uninstallHook } from "./install.ts";
import { readPlugin } from "./opencode-plugin.ts";
import { findOurs } from "./our-hooks.ts";
import { settingsPath } from "./places.ts";

const WITH_COMMAND = Object.values(AGENTS)
  .filter(({ hook }) => hook.kind === "command")
  .map(({ name }) => name);

/** A user of a test's own: nothing outside its directory is looked at. */
function placeFor(
  t: TestContext,
  agent: HookedAgent,
  scope: AgentScope = "user",
): Place & { readonly settings: string } {
  const root = mkdtempSync(join(tmpdir(), "cs-install-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const cwd = join(root, "project");
  mkdirSync(cwd);
  const machine = { userHome: join(root, "user"), cwd, env: { PATH: "" }, platform: "linux", root } as const;
  mkdirSync(machine.userHome);
  const settings = settingsPath(agent, scope, machine) ?? assert.fail();
  return { agent, scope, home: join(root, "home"), node: `/opt/it's "node"/bin/node`, machine, settings };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const install = (place: Place) => installHook(place, { print: false });
const uninstall = (place: Place) => uninstallHook(place, { print: false });

for (const agent of WITH_COMMAND) {
  test(`${agent}: every event is hooked with our deadline below the timeout; twice changes nothing; uninstall takes all of it out`, async (t) => {
    const place = placeFor(t, agent);
    assert.equal((await install(place)).changed, true);
    const text = readFileSync(place.settings, "utf8");
    const { hook, deadlineMs } = AGENTS[agent];
    assert(hook.kind === "command");
    const ours = findOurs(agent, text);
    assert.deepEqual(ours.map(({ event }) => event).sort(), [...hook.gates, ...hook.reports].sort());
    for (const { command } of ours) {
      const { key, ...rest } = readHookCommand(command) ?? assert.fail(command);
      assert.match(key, /^[\w-]{43}$/);
      const file = join(place.home, "hook", "countersign-hook.cjs");
      assert.deepEqual(rest, { agent, node: place.node, hook: file, home: place.home, deadlineMs });
    }
    assert.equal(statSync(join(place.home, "hook", "countersign-hook.cjs")).mode & 0o777, 0o600);
    assert.equal(statSync(join(place.home, "hook")).mode & 0o777, 0o700);
    assert.equal((await install(place)).changed, false);
    assert.equal(readFileSync(place.settings, "utf8"), text);
    assert.deepEqual(
      findAgents(place.machine).map(({ agent: name, hooked }) => [name, hooked]),
      [[agent, ["user"]]],
    );
    assert.deepEqual(disabledHooks(agent, "user", place.machine), []);
    assert.equal(uninstall(place).changed, true);
    assert.deepEqual(findOurs(agent, readFileSync(place.settings, "utf8")), []);
    assert.equal(uninstall(place).changed, false);
  });

  test(`${agent}: foreign settings and hooks stay, byte for byte and in order; a moved node is followed in place`, async (t) => {
    const place = placeFor(t, agent);
    const gate = (AGENTS[agent].hook as { gates: readonly string[] }).gates[0] ?? "";
    const foreign =
      agent === "cursor" ? { command: "audit" } : { matcher: "Bash", hooks: [{ type: "command", command: "audit" }] };
    const before = `${JSON.stringify({ model: "x", hooks: { Stop: [foreign], [gate]: [foreign] }, last: [1] }, null, 4)}\n`;
    put(place.settings, before);
    chmodSync(place.settings, 0o640);
    await install(place);
    const items = (JSON.parse(readFileSync(place.settings, "utf8")) as { hooks: Record<string, unknown[]> }).hooks[
      gate
    ];
    assert.deepEqual([items?.length, items?.[0]], [2, foreign]);
    assert.equal(statSync(place.settings).mode & 0o777, 0o640);
    const [backup = ""] = readdirSync(join(place.home, "backups"));
    assert.equal(readFileSync(join(place.home, "backups", backup), "utf8"), before);
    // Somebody adds one after ours.
    const mine = JSON.parse(readFileSync(place.settings, "utf8"));
    mine.hooks[gate].push(foreign);
    writeFileSync(place.settings, JSON.stringify(mine, null, 4));
    assert.equal((await install({ ...place, node: "/usr/bin/node" })).changed, true);
    const moved = findOurs(agent, readFileSync(place.settings, "utf8")).filter(({ event }) => event === gate);
    assert.deepEqual(
      moved.map(({ group, command }) => [group, readHookCommand(command)?.node]),
      [[1, "/usr/bin/node"]],
    );
    assert.equal(readFileSync(join(place.home, "backups", backup), "utf8"), before);
    uninstall(place);
    mine.hooks[gate].splice(1, 1);
    const { gates, reports } = AGENTS[agent].hook as Extract<(typeof AGENTS)[HookedAgent]["hook"], { kind: "command" }>;
    for (const event of [...gates.slice(1), ...reports]) delete mine.hooks[event];
    assert.equal(readFileSync(place.settings, "utf8"), JSON.stringify(mine, null, 4));
  });
}

test("what was added and taken out again leaves no trace", async (t) => {
  const place = placeFor(t, "gemini");
  for (const before of [
    '{\n  // mine\n  "model": "x" // last\n}\n',
    "{}",
    '{"a":1}',
    '{\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n',
  ]) {
    put(place.settings, before);
    const { backups } = await install(place);
    // Told only where it is so: what was there first is kept, and nothing later.
    for (const path of backups) assert.equal(readFileSync(path, "utf8"), before);
    assert.notEqual(readFileSync(place.settings, "utf8"), before);
    uninstall(place);
    assert.equal(readFileSync(place.settings, "utf8"), before);
  }
});

test("ours in somebody else's group is taken out, the group stays", async (t) => {
  const place = placeFor(t, "claude-code");
  await install(place);
  const settings = JSON.parse(readFileSync(place.settings, "utf8"));
  const [group] = settings.hooks.PreToolUse;
  settings.hooks.PreToolUse = [
    { matcher: "Bash", hooks: [{ type: "command", command: "audit" }, ...group.hooks] },
    group,
    group,
  ];
  writeFileSync(place.settings, JSON.stringify(settings));
  await install(place);
  assert.deepEqual(JSON.parse(readFileSync(place.settings, "utf8")).hooks.PreToolUse, [
    { matcher: "Bash", hooks: [{ type: "command", command: "audit" }] },
    group,
  ]);
});

test("a file that can't be read is refused with its line and left alone; --print writes nothing at all", async (t) => {
  const place = placeFor(t, "claude-code");
  for (const [text, why] of [
    ['{\n  "model": "x",\n  "hooks" {}\n}', /settings\.json can't be changed: line 3/],
    ["{\n  // no\n}", /line 2: a comment/],
    ['{"hooks": []}', /"hooks" isn't an object/],
    ['{"hooks": {"PreToolUse": {}}}', /"hooks\.PreToolUse" isn't a list/],
    ["[]", /isn't an object/],
  ] as const) {
    put(place.settings, text);
    await assert.rejects(install(place), why);
    assert.equal(readFileSync(place.settings, "utf8"), text);
  }
  writeFileSync(place.settings, Buffer.from([0x7b, 0xff, 0x7d]));
  await assert.rejects(install(place), /isn't UTF-8/);
  rmSync(place.home, { recursive: true, force: true });
  put(place.settings, "{}");
  const { changed, ours } = await installHook(place, { print: true });
  assert.deepEqual([changed, ours.length, existsSync(place.home)], [true, 1, false]);
  assert.equal(readFileSync(place.settings, "utf8"), "{}");
});

test("a link is followed and stays one; out of a project, or to nothing, it is refused", async (t) => {
  const place = placeFor(t, "claude-code");
  const target = join(place.machine.cwd, "dotfiles.json");
  put(target, "{}");
  mkdirSync(dirname(place.settings), { recursive: true });
  symlinkSync(target, place.settings);
  await install(place);
  assert(lstatSync(place.settings).isSymbolicLink());
  assert.equal(findOurs("claude-code", readFileSync(target, "utf8")).length, 3);

  const project = placeFor(t, "claude-code", "project");
  const secret = join(project.machine.userHome ?? "", "authorized_keys");
  writeFileSync(secret, "{}");
  mkdirSync(dirname(project.settings), { recursive: true });
  symlinkSync(secret, project.settings);
  await assert.rejects(install(project), /leads out of the project/);
  assert.equal(readFileSync(secret, "utf8"), "{}");
  rmSync(project.settings);
  symlinkSync("/nowhere/at/all", project.settings);
  await assert.rejects(install(project), /a link that leads nowhere/);

  // A folder that leads out, to where the rest of the path isn't there yet.
  const plugin = placeFor(t, "opencode", "project");
  const outside = join(plugin.machine.userHome ?? "", "outside");
  mkdirSync(outside);
  symlinkSync(outside, dirname(dirname(plugin.settings)));
  await assert.rejects(install(plugin), /leads out of the project/);
  assert.deepEqual(readdirSync(outside), []);
});

test("ten megabytes of settings are edited, more than the limit is refused", async (t) => {
  const place = placeFor(t, "claude-code");
  const big = `{"a":"${"x".repeat(10_000_000)}"}`;
  put(place.settings, big);
  await install(place);
  uninstall(place);
  assert(readFileSync(place.settings, "utf8") === big);
  put(place.settings, `"${"x".repeat(17_000_000)}"`);
  await assert.rejects(install(place), /larger than/);
});

test("what switches our hooks off is found, wherever it stands", async (t) => {
  const place = placeFor(t, "claude-code");
  await install(place);
  put(join(place.machine.cwd, ".claude", "settings.json"), '{"disableAllHooks": true}');
  put(join(place.machine.cwd, ".claude", "settings.local.json"), '{"disableAllHooks": "yes"}');
  put(settingsPath("claude-code", "managed", place.machine) ?? "", '{"allowManagedHooksOnly": true}');
  const whys = disabledHooks("claude-code", "user", place.machine).map(({ why }) => why);
  assert.match(
    whys.join("\n"),
    /settings\.local\.json says disableAllHooks\n.*settings\.json says disableAllHooks\n.*allowManagedHooksOnly/,
  );
  assert.deepEqual(disabledHooks("claude-code", "managed", place.machine), []);

  const gemini = placeFor(t, "gemini");
  put(
    join(gemini.machine.cwd, ".gemini", "settings.json"),
    '{"hooksConfig": {"enabled": false, "disabled": ["countersign"]}}',
  );
  assert.equal(disabledHooks("gemini", "user", gemini.machine).length, 2);
});

test("codex: the trust that it asks for is written beside everything else, follows a change, and goes", async (t) => {
  const place = placeFor(t, "codex");
  const config = join(dirname(place.settings), "config.toml");
  const before = 'model = "x"\n\n[features]\nweb = true\n';
  put(config, before);
  await install(place);
  const trusted = () =>
    Object.entries((parse(readFileSync(config, "utf8")) as { hooks: { state: object } }).hooks.state);
  assert.deepEqual(
    trusted().map(([key]) => key),
    ["pre_tool_use", "permission_request", "post_tool_use"].map((label) => `${place.settings}:${label}:0:0`),
  );
  const first = JSON.stringify(trusted());
  await install({ ...place, node: "/usr/bin/node" });
  assert.notEqual(JSON.stringify(trusted()), first);
  const project = { ...place, scope: "project" as const };
  await install(project);
  assert.equal(trusted().length, 6);
  assert.deepEqual(
    [disabledHooks("codex", "user", place.machine), disabledHooks("codex", "project", place.machine)],
    [[], []],
  );
  uninstall(project);
  assert.equal(trusted().length, 3);
  // Changed by hand: what it trusts isn't what stands there any more.
  writeFileSync(place.settings, readFileSync(place.settings, "utf8").replace("exit 2", "exit 0"));
  assert.match(disabledHooks("codex", "user", place.machine)[0]?.why ?? "", /passes it over without a word/);
  uninstall(place);
  assert.equal(readFileSync(config, "utf8"), before);
  writeFileSync(config, "model = \n");
  await assert.rejects(install(place), /config\.toml can't be changed: line 1/);
});

test("managed settings pin a hub that is there, with files that only root can change", async (t) => {
  const place = placeFor(t, "claude-code", "managed");
  await assert.rejects(install(place), /No hub key/);
  await install({ ...place, scope: "user" });
  await install(place);
  const [{ command } = { command: "" }] = findOurs("claude-code", readFileSync(place.settings, "utf8"));
  const file = join(place.machine.root, "usr/local/lib/countersign/hook/countersign-hook.cjs");
  assert.equal(readHookCommand(command)?.hook, file);
  assert.equal(statSync(file).mode & 0o777, 0o644);
  await assert.rejects(install({ ...place, agent: "opencode" }), /has no settings that users can't override/);
});

test("without a home only a project can be connected", async (t) => {
  const place = placeFor(t, "codex");
  const machine = { ...place.machine, userHome: undefined };
  await assert.rejects(install({ ...place, machine }), { code: "NO_HOME" });
  await assert.rejects(
    install({ ...place, agent: "gemini", machine: { ...place.machine }, home: "/tmp/a$b" }),
    /Gemini CLI expands every \$/,
  );
});

test("opencode: the plugin is one whole file of ours; somebody else's at its place stays", async (t) => {
  const place = placeFor(t, "opencode");
  await install(place);
  const text = readFileSync(place.settings, "utf8");
  const { key, ...rest } = readPlugin(text) ?? assert.fail();
  assert.match(key, /^[\w-]{43}$/);
  const hook = join(place.home, "hook", "countersign-hook.cjs");
  assert.deepEqual(rest, { agent: "opencode", node: place.node, hook, home: place.home, deadlineMs: 540_000 });
  assert.equal(readPlugin(text.replace("throw new Error", "void new Error")), undefined);
  assert.equal((await install(place)).changed, false);
  assert.deepEqual(
    findAgents(place.machine).map(({ hooked }) => hooked),
    [["user"]],
  );
  assert.equal(uninstall(place).changed, true);
  assert.equal(existsSync(place.settings), false);
  put(place.settings, "export const Mine = 1;");
  await assert.rejects(install(place), /wasn't written by Countersign/);
  assert.equal(uninstall(place).changed, false);
  assert.equal(readFileSync(place.settings, "utf8"), "export const Mine = 1;");
});

test("a hub renews the hook's files when it starts, where an agent was connected", async (t) => {
  const place = placeFor(t, "gemini");
  renewHookFiles(place.home);
  assert.equal(existsSync(place.home), false);
  await install(place);
  const hook = join(place.home, "hook", "countersign-hook.cjs");
  writeFileSync(hook, "// an older version");
  renewHookFiles(place.home);
  assert.equal(isShippedAs(hook), true);
  assert.equal(statSync(hook).mode & 0o777, 0o600);
});
