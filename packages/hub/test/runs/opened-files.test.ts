import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { giveTo, HUBS, startAs, type Who, whyNot } from "../escape/world.ts";
import { childScript } from "../programs/child-script.ts";
import { type Answer, eventually, send, TOKEN } from "../support/serve-fixture.ts";

interface Hub {
  readonly home: string;
  readonly ownHome: string;
  /** Shown read-only in every jail. */
  readonly elsewhere: string;
  readonly workspace: string;
  /** Proposes it, and gives the card and what comes of it. */
  ask(command: string): Promise<{ readonly card: Answer["body"]; readonly outcome: Promise<Answer["body"]> }>;
  /** Lets it run once it was asked about. */
  run(command: string): Promise<Answer["body"]>;
  call(path: string, body?: unknown): Promise<Answer>;
  answer(card: Answer["body"], more?: object): Promise<Answer>;
}

const ASKS = { ask: "on-miss", timeoutMs: 600_000 };

/** A hub in a process of its own, whose home isn't in a directory that each run has for itself. */
async function startHub(t: TestContext, who: Who, profile: object = ASKS): Promise<Hub> {
  const isRoot = process.getuid?.() === 0;
  const dirs = (isRoot ? ["/home", "/var/lib"] : [homedir(), homedir()]).map((base) =>
    realpathSync(mkdtempSync(join(base, "cs-opened-"))),
  );
  t.after(() => dirs.map((dir) => rmSync(dir, { recursive: true, force: true })));
  const [home = "", around = ""] = dirs;
  const [workspace, elsewhere] = [join(around, "workspace"), join(around, "elsewhere")];
  const ownHome = join(home, ".config/countersign");
  for (const path of [workspace, elsewhere, join(ownHome, "profiles/default")]) mkdirSync(path, { recursive: true });
  writeFileSync(join(ownHome, "profiles/default/config.json"), JSON.stringify({ execApproval: profile }));
  for (const dir of dirs) giveTo(who.uid, dir);
  execFileSync("chmod", ["-R", "go-w,a+rX", ...dirs]);
  execFileSync("chmod", ["-R", "go=", ownHome]);
  const [file = "", ...args] = [...startAs(who), process.execPath, childScript("serve"), ownHome, workspace];
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: "/tmp", COUNTERSIGN_TOKEN: TOKEN };
  const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { url, message } = JSON.parse(line);
  assert(url, message);
  const call = (path: string, body?: unknown) =>
    send(new URL(path, url), body === undefined ? {} : { method: "POST", body });
  const answer = (card: Answer["body"], more: object = {}) =>
    call(`/api/v1/approvals/${card.approvalId}/decision`, { decision: "allow-once", ...more });
  const ask = async (command: string) => {
    const outcome = call("/api/v1/exec", { command }).then(({ body }) => body);
    const card = await eventually(async () => {
      const cards: Answer["body"][] = (await call("/api/v1/approvals")).body;
      return cards.find((one) => one.command === command);
    });
    return { card, outcome };
  };
  const run = async (command: string) => {
    const { card, outcome } = await ask(command);
    await answer(card);
    return await outcome;
  };
  return { home, ownHome, elsewhere, workspace, ask, run, call, answer };
}

function put(who: Who, path: string, text = "before\n"): string {
  writeFileSync(path, text);
  giveToFile(who, path);
  return path;
}

function giveToFile({ uid }: Who, path: string): void {
  if (uid !== process.getuid?.()) execFileSync("chown", ["-h", `${uid}:${uid}`, path]);
}

const text = (path: string) => readFileSync(path, "utf8");

for (const who of HUBS) {
  const skip = whyNot(who);

  test(`${who.name} hub: a jail opens exactly the files that were approved`, { skip }, async (t) => {
    const hub = await startHub(t, who);
    const { home, elsewhere } = hub;
    const log = put(who, join(elsewhere, "log"));
    const other = put(who, join(elsewhere, "other"));
    put(who, join(hub.workspace, "a.txt"), "a\n");
    const { ino } = statSync(log);

    const appended = await hub.run(`echo x >> ${log}; for f in ${elsewhere}/*; do echo y >> "$f"; done`);
    assert.deepEqual(
      [text(log), text(other), statSync(log).ino],
      ["before\nx\ny\n", "before\n", ino],
      JSON.stringify(appended),
    );

    const { card, outcome } = await hub.ask("echo hi > ~/notes.txt");
    assert.deepEqual(card.opens, [`${home}/notes.txt (made empty first: it doesn't exist yet)`]);
    assert.ok(!existsSync(join(home, "notes.txt")), "made before it was approved");
    await hub.answer(card);
    const noted = await outcome;
    assert.deepEqual([noted.exitCode, text(join(home, "notes.txt"))], [0, "hi\n"], JSON.stringify(noted));
    assert.equal(statSync(join(home, "notes.txt")).uid, who.uid);

    const copied = await hub.run(`cp a.txt ${elsewhere}/b.txt; echo z > ~/made-along.txt`);
    assert.deepEqual([copied.exitCode, text(join(elsewhere, "b.txt"))], [0, "a\n"], JSON.stringify(copied));

    const teed = await hub.run("echo both | tee ~/a ~/b; touch ~/empty; f=$(echo c); echo z > ~/$f");
    assert.deepEqual(
      [text(join(home, "a")), text(join(home, "b")), text(join(home, "empty"))],
      ["both\n", "both\n", ""],
      JSON.stringify(teed),
    );
    assert.ok(!existsSync(join(home, "c")));
  });

  test(`${who.name} hub: the card says what will fail outside of the workspace, and that stays as it was`, {
    skip,
  }, async (t) => {
    const hub = await startHub(t, who);
    const { home, elsewhere, ownHome } = hub;
    const file = put(who, join(elsewhere, "file"));
    put(who, join(elsewhere, "read-only"));
    execFileSync("chmod", ["a-w", join(elsewhere, "read-only")]);
    put(who, join(hub.workspace, "a.txt"));
    put(who, join(home, ".netrc"), "machine a password b\n");
    mkdirSync(join(elsewhere, "dir"));
    giveToFile(who, join(elsewhere, "dir"));
    symlinkSync(file, join(elsewhere, "link"));
    symlinkSync(join(home, "plain"), join(home, "link"));
    put(who, join(home, "plain"));
    symlinkSync("dir", join(elsewhere, "linked"));
    symlinkSync("nowhere", join(elsewhere, "dangling"));
    execFileSync("mkfifo", [join(elsewhere, "pipe")]);
    const E = elsewhere;
    const link = "a link is on the way to it";
    const directory = "it is a directory, and only single files are opened";
    const needs = (program: string) => `${program} needs its directory, and only single files are opened`;
    const cases: readonly (readonly [command: string, fails: readonly string[], opens?: readonly string[]])[] = [
      [`mkdir ${E}/new`, [`writing ${E}/new: it doesn't exist, and mkdir isn't known to make a plain file`]],
      [`cp a.txt ${E}/dir`, [`writing ${E}/dir: ${directory}`]],
      [`cp -r a.txt ${E}/new`, [`writing ${E}/new: it doesn't exist, and cp isn't known to make a plain file`]],
      [`echo x > ${E}/no/file`, [`writing ${E}/no/file: its directory doesn't exist`]],
      [`echo x > ${E}/link`, [`writing ${E}/link: ${link}`]],
      [`echo x > ${E}/linked/file`, [`writing ${E}/linked/file: ${link}`]],
      [`echo x > ${E}/dangling`, [`writing ${E}/dangling: ${link}`]],
      [`echo x > ~/link`, [`writing ${home}/plain: ${link}`]],
      [`echo x > ${E}/pipe`, [`writing ${E}/pipe: it is no plain file`]],
      [`echo x >> ~/.netrc`, [`writing ${home}/.netrc: a jail hides secrets`]],
      [`rm ${file}`, [`replacing or removing ${file}: ${needs("rm")}`]],
      [`mv a.txt ${file}`, [`replacing or removing ${file}: ${needs("mv")}`]],
      [`sed -i s/before/after/ ${file}`, [`replacing or removing ${file}: ${needs("sed")}`]],
      [`unknown-tool ${file}`, [`writing ${file}: unknown-tool isn't known to write to it, so that it isn't opened`]],
      [
        `echo x | tee ${E}/*`,
        [`Writes to a system path: ${E}/*, if outside the workspace: only files named in full are opened`],
      ],
      [
        `echo x > ~/$(echo a)`,
        [
          "Writes to ~/$(echo a), and where that leads isn't known, if outside the workspace: only files named in full are opened",
        ],
      ],
      [`echo x > ${E}/read-only`, [`writing ${E}/read-only: ${NO_RIGHT[who.uid === 0 ? "root" : "user"]}`]],
      [`echo x > ${ownHome}/x`, [`using ${ownHome}: it is Countersign's own, which no jail shows`]],
      [`echo x >> ${file}; rm ${E}/new`, [`replacing or removing ${E}/new: ${needs("rm")}`], [file]],
    ];
    for (const [command, fails, opens] of cases) {
      const { card, outcome } = await hub.ask(command);
      assert.deepEqual([card.jail, card.fails, card.opens], ["workspace", fails, opens], command);
      const isOwn = command.includes(ownHome);
      await hub.answer(card, opens || isOwn ? { decision: "deny" } : {});
      const { kind, exitCode } = await outcome;
      if (!opens && !isOwn && !command.includes("pipe")) assert.ok(kind === "exited" && exitCode !== 0, command);
    }
    assert.equal(text(file), "before\n");
    assert.deepEqual(readdirSync(E).sort(), ["dangling", "dir", "file", "link", "linked", "pipe", "read-only"]);
    assert.deepEqual(readdirSync(join(E, "dir")), []);
  });

  test(`${who.name} hub: a path that is replaced before the start isn't opened`, { skip }, async (t) => {
    const hub = await startHub(t, who);
    const E = hub.elsewhere;
    const victim = put(who, join(hub.home, "victim"));
    const swaps: Readonly<Record<string, (path: string) => void>> = {
      "by a link": (path) => {
        unlinkSync(path);
        symlinkSync(victim, path);
      },
      "by another file": (path) => renameSync(put(who, join(E, "saved")), path),
      "by a hard link": (path) => {
        unlinkSync(path);
        execFileSync("ln", [victim, path]);
      },
    };
    for (const [name, swap] of Object.entries(swaps)) {
      const path = put(who, join(E, "file"));
      const { card, outcome } = await hub.ask(`echo x >> ${path}`);
      assert.deepEqual(card.opens, [path]);
      swap(path);
      await hub.answer(card);
      const { kind, reason } = await outcome;
      assert.deepEqual([kind, reason], ["not-started", `Not started: ${path} changed after the decision`], name);
      unlinkSync(path);
    }
    const made = join(E, "made");
    const appears: Readonly<Record<string, () => void>> = {
      "a file appears": () => put(who, made),
      "a link appears": () => symlinkSync(victim, made),
      "its directory is replaced": () => {
        renameSync(E, `${E}-old`);
        mkdirSync(E);
        giveToFile(who, E);
      },
    };
    for (const [name, appear] of Object.entries(appears)) {
      const { card, outcome } = await hub.ask(`echo x >> ${made}`);
      appear();
      await hub.answer(card);
      const { kind, reason } = await outcome;
      assert.deepEqual([kind, reason], ["not-started", `Not started: ${made} changed after the decision`], name);
      rmSync(made, { force: true });
    }
    assert.equal(text(victim), "before\n");
  });

  test(`${who.name} hub: what nobody approved isn't opened: a profile, silence, a preview`, { skip }, async (t) => {
    const full = await startHub(t, who, { security: "full", ask: "off" });
    const path = put(who, join(full.elsewhere, "file"));
    const { body } = await full.call("/api/v1/exec", { command: `echo x >> ${path}; echo x > ~/made` });
    assert.deepEqual([body.by, body.exitCode, existsSync(join(full.home, "made"))], ["policy", 1, false]);
    assert.equal(text(path), "before\n");

    const asking = await startHub(t, who);
    const waiting = await asking.ask("echo x > ~/made");
    const preview = await asking.call(`/api/v1/approvals/${waiting.card.approvalId}/preview`, {});
    assert.deepEqual([preview.status, preview.body.outcome?.exitCode], [200, 1], JSON.stringify(preview.body));
    assert.ok(!existsSync(join(asking.home, "made")));
    await asking.answer(waiting.card, { decision: "deny" });

    const silent = await startHub(t, who, { timeoutMs: 1_500, askFallback: "full" });
    const { card, outcome } = await silent.ask("echo x > ~/made");
    assert.equal(card.opens.length, 1);
    const { by, kind, exitCode } = await outcome;
    assert.deepEqual([by, kind, exitCode], ["timeout", "exited", 1]);
    assert.ok(!existsSync(join(silent.home, "made")));
  });

  test(`${who.name} hub: an entry opens what it covers, another jail what it always did`, { skip }, async (t) => {
    const hub = await startHub(t, who, { ...ASKS, allowlist: [{ pattern: "tee **" }] });
    const path = put(who, join(hub.home, "file"));
    const { body } = await hub.call("/api/v1/exec", { command: `echo x | tee -a ${path}` });
    assert.deepEqual([body.by, body.exitCode, text(path)], ["entry", 0, "before\nx\n"], JSON.stringify(body));
    const { card, outcome } = await hub.ask(`echo y >> ${path}`);
    assert.deepEqual(card.opens, [path]);
    await hub.answer(card, { jail: "read-only" });
    assert.deepEqual([(await outcome).exitCode, text(path)], [1, "before\nx\n"]);
  });
}

const NO_RIGHT = { root: "its owner has no right to write to it", user: "the hub has no right to write there" };
