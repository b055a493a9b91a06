import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { KINDS } from "../escape/attack.ts";
import { type ChildHub, LIMITS, startChildHub } from "../escape/child-hub.ts";
import { giveTo, HUBS, makeWorld, SECRET, type World, whyNot } from "../escape/world.ts";
import { eventually, sleeper } from "../support/serve-fixture.ts";

interface Place {
  readonly hub: ChildHub;
  readonly world: World;
  /** A script in the workspace, as a command. */
  script(name: string, text: string): string;
}

/** Whether what ran leaves anything that still runs. Each line starts a sleeper that wants to stay. */
const STAYERS = (sleep: string) => `
setsid ${sleep} &
( ( ${sleep} & ) & )
nohup setsid bash -c "trap '' TERM HUP INT; ${sleep}" > /dev/null 2>&1 < /dev/null &
${sleep} & kill -STOP $!
perl -e 'fork and exit; setpgrp; $SIG{TERM} = "IGNORE"; exec @ARGV' ${sleep}
`;

async function nothingOutlives({ hub, script }: Place): Promise<void> {
  const ends = {
    exited: "exit 0",
    "timed-out": "trap '' TERM; while :; do sleep 0.1; done",
    "timed-out stopped": "kill -STOP $$",
  };
  const runs = KINDS.flatMap((kind) => Object.entries(ends).map(([end, last]) => ({ kind, end, last })));
  await Promise.all(
    runs.map(async ({ kind, end, last }, at) => {
      const { command, pids } = sleeper();
      const file = script(`stay-${at}`, `${STAYERS(command)}\n${last}`);
      const running = hub.run(kind, file, end === "exited" ? {} : { runTimeoutMs: 4_000 });
      if (end !== "exited") await Promise.race([eventually(() => pids().length > 0), running]);
      const outcome = await running;
      assert.equal(outcome.kind, end.split(" ")[0], JSON.stringify(outcome));
      // A killed process may be seen until it is reaped.
      await eventually(() => pids().length === 0);
    }),
  );
}

/** Each prints `over` when it got more than the limit. */
const HOGS = {
  processes: `for n in $(seq ${LIMITS.processes * 2}); do sleep 1 & done 2> /dev/null; [ "$(jobs -r | wc -l)" -ge ${LIMITS.processes} ] && echo over`,
  memory: `perl -e '$x = "x" x ${LIMITS.memoryBytes * 2}; print "over"'`,
  "private space": `for at in /tmp /var/tmp /dev/shm ~/.cache; do head -c ${LIMITS.tmpBytes * 2} /dev/zero > $at/hog && echo over; done`,
  files: `head -c ${LIMITS.fileBytes * 2} /dev/zero > hog && echo over`,
  "what is empty": `find / -xdev -maxdepth 3 -type d -writable 2> /dev/null | while read -r at; do case $at in /tmp*|/var/tmp*|/dev/shm*|"$PWD"*) ;; *) echo over "$at" ;; esac; done`,
};

async function nothingIsExhausted({ hub, script }: Place): Promise<void> {
  for (const kind of ["read-only", "workspace"] as const) {
    for (const [what, hog] of Object.entries(HOGS)) {
      const outcome = await hub.run(kind, script(`hog-${what.replaceAll(" ", "-")}`, hog));
      assert.ok(!/over/.test(outcome.stdout), `${kind}, ${what}: ${JSON.stringify(outcome)}`);
    }
  }
  assert.equal((await hub.run(undefined, "echo still here")).stdout, "still here\n");
}

async function temporaryFilesAreItsOwn({ hub, world, script }: Place): Promise<void> {
  const all = "/tmp /var/tmp /dev/shm ~/.cache";
  const first = script(
    "first",
    `for at in ${all}; do touch $at/mark && echo made; done; touch first-is-there; until [ -e second-looked ]; do sleep 0.05; done`,
  );
  const second = script(
    "second",
    `until [ -e first-is-there ]; do sleep 0.05; done; ls -A ${all} | grep mark; touch second-looked; ls -d "$PWD"`,
  );
  const [made, looked] = await Promise.all([hub.run("workspace", first), hub.run("workspace", second)]);
  assert.equal(made.stdout, "made\n".repeat(4), JSON.stringify(made));
  // The workspace itself lies in /tmp, and is seen.
  assert.equal(looked.stdout, `${world.workspace}\n`);
  const third = await hub.run(undefined, "ls -A /tmp /var/tmp /dev/shm");
  assert.ok(!third.stdout.includes("mark"), third.stdout);
}

async function filesKeepTheirOwner({ hub, world }: Place): Promise<void> {
  const outcome = await hub.run(
    "workspace",
    "mkdir owned; echo x > owned/file; ln -s file owned/link; ls -ld owned/file .",
  );
  assert.equal(outcome.exitCode, 0, JSON.stringify(outcome));
  for (const name of ["owned", "owned/file"]) {
    const { uid, gid, mode } = statSync(join(world.workspace, name));
    assert.deepEqual([uid, gid, mode & 0o6000], [world.who.uid, world.who.uid, 0], name);
  }
}

/** Git commands that somebody approved: `.git` is open to them, but not what starts code. */
const GIT = [
  "git config core.hooksPath evil",
  "git config core.fsmonitor ./evil",
  "git -C sub config core.pager ./evil",
  "git config --global core.hooksPath evil",
  "git worktree add ../outside",
  "git init ../other-repository",
];

/** What runs beside one of them wasn't predicted. */
const BESIDE_GIT = [
  "cp README.md .git/hooks/post-commit; mv .git/hooks .git/away; mkdir .git/hooks; cp README.md .git/hooks/post-commit",
  "rm -f .git/config; cp README.md .git/config; echo x >> .git/config",
  "mv .git moved && cp -r moved .git; cp README.md .git/hooks/pre-commit",
];

async function gitPlantsNothing({ hub, script, world: { workspace, home, dir } }: Place): Promise<void> {
  const look = () => ({
    config: readFileSync(join(workspace, ".git/config"), "utf8"),
    inner: readFileSync(join(workspace, "sub/.git/config"), "utf8"),
    hooks: readdirSync(join(workspace, ".git/hooks")),
    home: existsSync(join(home, ".gitconfig")),
    around: readdirSync(dir),
  });
  const before = look();
  const beside = BESIDE_GIT.map((text, at) => `git checkout -q -b branch-${at}; ${script(`beside-${at}`, text)}`);
  for (const command of [...GIT, ...beside]) {
    const outcome = await hub.run("workspace", command);
    assert.deepEqual({ command, ...look() }, { command, ...before }, JSON.stringify(outcome));
  }
  const author = "-c user.name=x -c user.email=x@example.org";
  const committed = await hub.run(
    "workspace",
    `git add README.md; git ${author} commit -q -m first; git log --format=%s`,
  );
  assert.equal(committed.stdout, "first\n", JSON.stringify(committed));
}

/** What a command was predicted to read is shown to it, wherever it lies; not the secrets in it. */
async function foreseenSecretsStayHidden({ hub, world }: Place): Promise<void> {
  const { home, dir } = world;
  for (const command of [
    `grep -r ${SECRET} ${home}`,
    `grep -rh ${SECRET} ${home}/project`,
    `cat ${home}/.ssh/id_ed25519`,
  ]) {
    const outcome = await hub.run(undefined, command);
    assert.ok(!outcome.stdout?.includes(SECRET), `${command}: ${JSON.stringify(outcome)}`);
  }
  const outcome = await hub.run(undefined, `ls -A ${dir} ${home}`);
  assert.ok(!outcome.stdout.includes(".ssh"), outcome.stdout);
}

/** What bwrap tells at the end is waited for, or a command that ran is taken for one that never did, and run again. */
async function nothingRunsTwice({ hub, world, script }: Place): Promise<void> {
  const silent = script("silent", "exec >&- 2>&-; echo ran >> ran");
  const times = Array.from({ length: 12 });
  const outcomes = await Promise.all(times.map(() => hub.run("workspace", silent)));
  assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(["exited"]));
  assert.equal(readFileSync(join(world.workspace, "ran"), "utf8"), "ran\n".repeat(times.length));
}

const SCENARIOS = {
  "nothing outlives its run": nothingOutlives,
  "nothing takes more than it may": nothingIsExhausted,
  "temporary files are a run's own": temporaryFilesAreItsOwn,
  "files belong to whom they did": filesKeepTheirOwner,
  "nothing runs twice": nothingRunsTwice,
  "git plants nothing": gitPlantsNothing,
  "what is shown is shown without secrets": foreseenSecretsStayHidden,
};

for (const who of HUBS) {
  test(`${who.name} hub`, { skip: whyNot(who) }, async (t) => {
    const world = await makeWorld(t, who);
    const hub = await startChildHub(t, world);
    const scripts = join(world.workspace, "scripts");
    mkdirSync(scripts);
    const script = (name: string, text: string) => {
      writeFileSync(join(scripts, name), text);
      return `bash scripts/${name}`;
    };
    giveTo(who.uid, scripts);
    const before = readdirSync(world.workspace).sort();
    for (const [name, scenario] of Object.entries(SCENARIOS)) {
      await t.test(name, () => scenario({ hub, world, script }));
    }
    const left = ["first-is-there", "hog", "owned", "ran", "second-looked"];
    assert.deepEqual(readdirSync(world.workspace).sort(), [...before, ...left].sort());
  });
}
