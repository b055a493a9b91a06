import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { explainOffline } from "@countersign/hub";
import { BIN, Place } from "./countersign.ts";
import { deepTest } from "./deep-test.ts";
import { loadPty, PtyScreen } from "./pty-screen.ts";

async function policy(place: Place, ...args: readonly string[]) {
  const ended = await place.run("policy", ...args);
  assert.equal(ended.code, 0, `${args.join(" ")}: ${ended.stderr}`);
  return ended;
}

/** As `countersign explain` tells it, without the time that a process takes to start. */
async function verdict(place: Place, command: string, cwd = place.workspace): Promise<string> {
  return (await explainOffline({ command, cwd }, place.home)).decision.verdict;
}

function writeRepository(place: Place, block: object, more: object = {}): void {
  mkdirSync(join(place.workspace, ".countersign"), { recursive: true });
  writeFileSync(join(place.workspace, ".countersign", "policy.json"), JSON.stringify({ execApproval: block, ...more }));
}

deepTest("entries: before the first start, with a hub, and without one again; none of it is frozen", async (t) => {
  const place = new Place(t);
  const file = join(place.home, "profiles", "default", "config.json");
  await policy(place, "allow", "touch **", "--why", "harmless", "--expires", "30d");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const hub = await place.serve();
  assert.match((await policy(place, "deny", "pwd", "--why", "not now")).stdout, /^Denied: pwd {2}\[[0-9a-f-]{36}\]\n$/);
  assert.deepEqual([await verdict(place, "touch a"), await verdict(place, "pwd")], ["allow", "deny"]);
  const denied = await place.run("exec", "--", "pwd");
  assert.deepEqual(
    [denied.code, denied.stderr],
    [126, "countersign: Denied by a deny entry of the policy: not now. It did not run.\n"],
  );
  const { entries } = JSON.parse((await policy(place, "show", "--json")).stdout);
  const [pwd, touch] = entries;
  assert.deepEqual([pwd.list, pwd.pattern, pwd.why, pwd.hits, pwd.layer], ["deny", "pwd", "not now", 1, "user"]);
  assert.deepEqual([touch.list, touch.pattern, touch.why, touch.hits], ["allow", "touch **", "harmless", 0]);
  assert.ok(touch.expiresAtMs > Date.now());
  assert.equal((await policy(place, "remove", pwd.id.slice(-8))).stdout, "Removed: pwd\n");
  assert.equal(await verdict(place, "pwd"), "allow");
  await hub.stop();
  await policy(place, "allow", "mkdir **");
  await policy(place, "remove", "touch **");
  const again = await place.serve();
  assert.equal((await place.run("pending", "--count")).stdout, "0\n", "nothing is asked about again");
  assert.deepEqual([await verdict(place, "mkdir a"), await verdict(place, "touch a")], ["allow", "ask"]);
  await again.stop();
});

deepTest(
  "an entry is narrowed and settings are set, with a hub and without; nothing wider passes for narrower",
  async (t) => {
    const place = new Place(t);
    mkdirSync(join(place.workspace, "in"));
    await policy(place, "allow", "touch **", "--why", "harmless");
    const narrowed = await policy(place, "narrow", "touch **", "touch a", "touch b *", "--in", "in");
    assert.match(
      narrowed.stdout,
      /^No longer: touch \*\*\nAllowed: touch a {2}\[[0-9a-f-]{36}\]\nAllowed: touch b \* /,
    );
    const inside = join(place.workspace, "in");
    assert.deepEqual(
      [await verdict(place, "touch a", inside), await verdict(place, "touch x", inside)],
      ["allow", "ask"],
    );
    assert.equal(await verdict(place, "touch a"), "ask");
    const hub = await place.serve();
    const { entries } = JSON.parse((await policy(place, "show", "--json")).stdout);
    const id = entries.find(({ pattern }: { pattern: string }) => pattern === "touch b *").id;
    const wider = await place.run("policy", "narrow", id.slice(-8), "touch **");
    assert.deepEqual([wider.code, /isn't narrower/.test(wider.stderr)], [1, true]);
    await policy(place, "narrow", id.slice(-8), "touch b c", "--expires", "30d");
    const after = JSON.parse((await policy(place, "show", "--json")).stdout).entries as Record<string, unknown>[];
    const made = after.find(({ pattern }) => pattern === "touch b c");
    assert.deepEqual(
      [made?.why, made?.directory, typeof made?.expiresAtMs],
      ["harmless", realpathSync(inside), "number"],
    );
    assert.equal(
      (await policy(place, "set", "ask=always", "timeoutMs=5000")).stdout,
      "Set: ask = always\nSet: timeoutMs = 5000\n",
    );
    assert.equal(await verdict(place, "ls"), "ask");
    const wrong = await place.run("policy", "set", "colour=red");
    assert.deepEqual([wrong.code, /Settings: security, ask,/.test(wrong.stderr)], [2, true]);
    const bad = await place.run("policy", "set", "ask=sometimes");
    assert.deepEqual([bad.code, /ask/.test(bad.stderr)], [1, true]);
    assert.equal((await place.run("pending", "--count")).stdout, "0\n", "nothing is frozen");
    await hub.stop();
  },
);

test("allow --like saves what allow-always would, here or in one directory", async (t) => {
  const place = new Place(t);
  const inside = join(realpathSync(place.workspace), "in");
  mkdirSync(inside);
  const { stdout } = await policy(place, "allow", "--like", "make build", "--in", "in");
  assert.match(stdout, /^Allowed: make \*\* \(executes .* only build; no options; in .*\/work\/in\)/);
  const [entry] = JSON.parse((await policy(place, "show", "--json")).stdout).entries;
  assert.equal(entry.directory, inside);
  const verdicts = [
    await verdict(place, "make build", inside),
    await verdict(place, "make deploy", inside),
    await verdict(place, "make build"),
  ];
  assert.deepEqual(verdicts, ["allow", "ask", "ask"]);
});

deepTest("edits that make no sense are refused with what to do, and strange ones warned about", async (t) => {
  const place = new Place(t);
  await place.serve();
  const cases = [
    [["allow"], 2, /Give a pattern, or --like/],
    [["allow", "x", "--expires", "yesterday"], 2, /Give a time in the future/],
    [["allow", "x", "--ceiling", "{"], 2, /--ceiling isn't JSON/],
    [["allow", "x", "--ceiling", '{"kinds":["all"],"risk":"safe"}'], 2, /--ceiling: kinds\.0/],
    [["allow", "x", "--profile", "none"], 1, /no profile none/],
    [["allow", "--like", "ls"], 1, /The policy already allows it: Everything in the command is safe\./],
    [["allow", "--like", "rm -rf ~"], 1, /only a person can allow this each time/],
    [["remove", "x"], 1, /no entry "x"/],
    [["show", "--url", "http://127.0.0.1:1"], 2, /run it where the hub runs/],
    [["trust"], 1, /has no \.countersign\/policy\.json/],
    [[], 2, /Usage: countersign policy/],
  ] as const;
  for (const [args, code, message] of cases) {
    const ended = await place.run("policy", ...args);
    assert.equal(ended.code, code, `${args.join(" ")}: ${ended.stderr}`);
    assert.match(ended.stderr, message);
  }
  assert.match((await policy(place, "allow", "sudo **")).stderr, /sudo \*\*: It is too broad/);
  assert.match((await policy(place, "deny", "a && b")).stderr, /It never matches/);
});

deepTest(
  "a repository's policy: denied at once, shown with its layer, allowed after trust, asked again after a change",
  async (t) => {
    const place = new Place(t);
    const directory = realpathSync(place.workspace);
    mkdirSync(join(directory, ".git"));
    await place.serve();
    await policy(place, "deny", "--repository", "pwd");
    assert.match(
      (await policy(place, "allow", "--repository", "touch **")).stdout,
      /applies after: countersign policy trust\n$/,
    );
    const file = join(directory, ".countersign", "policy.json");
    assert.equal(statSync(file).mode & 0o777, 0o644);
    assert.deepEqual([await verdict(place, "pwd"), await verdict(place, "touch a")], ["deny", "ask"]);
    const shown = (await policy(place, "show", "--effective")).stdout;
    assert.match(shown, /repository {2}.*policy\.json \(what it allows isn't trusted\)/);
    assert.match(shown, / {2}pwd\n {4}\[repository, repository-[0-9a-f]{16}\]/);
    assert.match(shown, /touch \*\* \(untrusted: it counts for nothing\)/);
    assert.doesNotMatch((await policy(place, "show")).stdout, /pwd/);
    const unasked = await place.run("policy", "trust");
    assert.deepEqual([unasked.code, existsSync(file)], [2, true]);
    assert.match(
      unasked.stdout,
      /It denies, which applies already:\n {2}- pwd\nIt would allow, inside .* alone:\n {2}\+ touch/,
    );
    assert.match(unasked.stderr, /give --yes/);
    await policy(place, "trust", "--yes");
    assert.equal(await verdict(place, "touch a"), "allow");
    assert.match((await policy(place, "trust")).stdout, /is trusted already/);
    writeRepository(place, { allowlist: [{ pattern: "mkdir **" }] });
    assert.equal(await verdict(place, "touch a"), "ask");
    const changed = (await place.run("policy", "trust")).stdout;
    assert.match(
      changed,
      /Since .* trusted it on \d{4}-\d\d-\d\d:\n {2}allowlist: adds or widens "mkdir \*\*": \w.* up to needs-review; in \S+\n/,
    );
    assert.match(changed, /denylist: removes or shortens "pwd"\n {2}no longer allows "touch \*\*"\n$/);
    await policy(place, "trust", "--remove");
    assert.doesNotMatch((await place.run("policy", "trust")).stdout, /Since/);
  },
);

test("trust asks on a terminal, and takes only a yes", async (t) => {
  const pty = await loadPty();
  if (!pty) return t.skip("no pseudo terminal here");
  const place = new Place(t);
  writeRepository(place, { allowlist: [{ pattern: "touch **" }] });
  const hub = await place.serve();
  const env = { PATH: process.env.PATH ?? "", HOME: place.workspace, COUNTERSIGN_HOME: place.home };
  for (const [answer, code, after] of [
    ["no", 1, "ask"],
    ["yes", 0, "allow"],
  ] as const) {
    const screen = new PtyScreen(pty, [process.execPath, BIN, "policy", "trust"], { env, cwd: place.workspace });
    await screen.shows("Trust it? Type yes:");
    screen.press(`${answer}\r`);
    assert.equal(await screen.ended, code);
    assert.equal(await verdict(place, "touch a"), after);
  }
  await hub.stop();
});

test("check runs a file's examples and tells what fails, for CI", async (t) => {
  const place = new Place(t);
  const examples = { allow: ["touch a"], deny: ["git push --force origin main"], ask: ["git push"] };
  const denylist = [{ pattern: "git push --force **", why: "no", examples: { deny: ["sudo git push --force x"] } }];
  writeRepository(place, { allowlist: [{ pattern: "touch **" }], denylist }, { examples });
  const file = ".countersign/policy.json";
  const good = await policy(place, "check", file);
  assert.match(good.stdout, /policy\.json: 4 of 4 examples hold, 0 warnings\n$/);
  const as = await place.run("policy", "check", file, "--as", "user");
  assert.equal(as.code, 0);
  writeRepository(place, { allowlist: [{ pattern: "ls | wc" }], denylist }, { examples });
  const bad = await place.run("policy", "check", file);
  assert.equal(bad.code, 1);
  assert.match(bad.stdout, /^FAILED examples: touch a\n {2}should be allow, is ask: Not everything/);
  assert.match(bad.stdout, /warning: allowlist\.0 ls \| wc: It never matches: \|/);
  const json = JSON.parse((await place.run("policy", "check", file, "--json")).stdout);
  assert.deepEqual([json.as, json.failures.length, json.warnings.length], ["repository", 1, 1]);
  writeRepository(place, { unheard: 1 });
  const broken = await place.run("policy", "check", file);
  assert.deepEqual([broken.code, /unheard/.test(broken.stdout)], [1, true]);
  writeRepository(place, { denyList: [] });
  const mistyped = await place.run("policy", "check", file);
  assert.equal(mistyped.code, 1);
  assert.match(mistyped.stdout, /denyList: there's no such key \(did you mean denylist\?\)/);
});

deepTest("replay and suggest go by what was proposed", async (t) => {
  const place = new Place(t);
  const hub = await place.serve();
  for (let times = 0; times < 3; times += 1) {
    const proposed = place.start(["exec", "--session", `s${times}`, "--", "mkdir -p made"]);
    await place.waiting(1);
    const [card] = JSON.parse((await place.run("pending", "--json")).stdout);
    await place.run("approve", card.approvalId);
    assert.equal((await proposed.ended).code, 0);
  }
  await place.run("exec", "--", "ls");
  const directory = realpathSync(place.workspace);
  const { stdout } = await policy(place, "suggest");
  assert.deepEqual(stdout.split("\n"), [
    "You allowed `mkdir -p made` 3 times in work (3 sessions, never denied). Always allow it here?",
    `  countersign policy allow --like 'mkdir -p made' --in ${directory}`,
    "",
  ]);
  const [{ apply, entries, ...suggestion }] = JSON.parse((await policy(place, "suggest", "--json")).stdout);
  assert.deepEqual(suggestion, { kind: "allow", command: "mkdir -p made", directory, allowed: 3, sessions: 3 });
  assert.deepEqual([entries[0].pattern, entries[0].directory], ["mkdir **", directory]);
  writeFileSync(join(place.workspace, "new.json"), JSON.stringify({ execApproval: { security: "deny" } }));
  const replayed = (await policy(place, "replay", "new.json", "--since", "1d")).stdout;
  assert.match(
    replayed,
    /^4 proposals since 1d: 4 would be decided otherwise\.\n {2}ask → deny {2}3\n {2}allow → deny {2}1\n/,
  );
  assert.match(
    replayed,
    /\nask → deny {2}3× {2}mkdir -p made\n {2}in .*\/work\n {2}The profile denies every command\n/,
  );
  await policy(
    place,
    ...(apply[0] as string)
      .replace("countersign policy ", "")
      .replaceAll("'mkdir -p made'", "X")
      .split(" ")
      .map((word) => (word === "X" ? "mkdir -p made" : word)),
  );
  assert.equal(await verdict(place, "mkdir -p made"), "allow");
  assert.equal((await policy(place, "suggest")).stdout, "Nothing to suggest.\n");
  assert.ok(!readFileSync(join(place.home, "profiles", "default", "config.json"), "utf8").includes("security"));
  await hub.stop();
});

test("an entry for code that can change holds it, or says that it doesn't", async (t) => {
  const place = new Place(t);
  const { stderr } = await policy(place, "allow", "npm run **");
  assert.match(stderr, /^countersign: npm run \*\*: It doesn't hold the code that it runs, which can change; --like/);
  assert.equal((await policy(place, "allow", "touch **")).stderr, "");
  assert.equal((await policy(place, "deny", "make **")).stderr, "");
  const { stdout } = await policy(place, "show");
  assert.equal(stdout.match(/doesn't hold the code that it runs, which can change/g)?.length, 1);
});

deepTest("what an answer allowed for a while is shown, and can be taken back", async (t) => {
  const place = new Place(t);
  const hub = await place.serve();
  const ended = place.run("exec", "--session", "s1", "--", "touch made");
  await place.waiting(1);
  const [{ approvalId }] = JSON.parse((await place.run("pending", "--json")).stdout);
  assert.equal((await place.run("approve", approvalId, "--scope", "pattern:touch *@30m")).code, 0);
  assert.equal((await ended).code, 0);
  const { stdout } = await policy(place, "show");
  assert.match(
    stdout,
    /\nAllows for a while\n {2}touch \*\n {4}\[[0-9a-f-]{36}\] in every session; by .*; until .* UTC\n/,
  );
  const [{ id, text }] = JSON.parse((await policy(place, "show", "--json")).stdout).temporary;
  assert.equal(text, "touch *");
  assert.equal((await policy(place, "remove", id.slice(-8))).stdout, "No longer allowed: touch *\n");
  assert.deepEqual(JSON.parse((await policy(place, "show", "--json")).stdout).temporary, []);
  await hub.stop();
});
