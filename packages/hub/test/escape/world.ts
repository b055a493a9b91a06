import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";

/** Who a hub runs as. */
export interface Who {
  readonly name: string;
  readonly uid: number;
}

const uid = process.getuid?.() ?? 0;
const USER = { name: "an ordinary user's", uid: uid === 0 ? 12_345 : uid };
/** Whoever runs the tests may be root, and can then be someone else too. */
export const HUBS: readonly Who[] = uid === 0 ? [{ name: "root's", uid }, USER] : [USER];

/** What surrounds one hub: its user's home, a workspace, and what neither is a jail's business. */
export interface World {
  readonly who: Who;
  /** Around all of it, in the machine's temporary directory. */
  readonly dir: string;
  readonly home: string;
  readonly ownHome: string;
  readonly workspace: string;
  /** A directory of the same user in a part of the machine that jails show; only root can make one. */
  readonly elsewhere: string | undefined;
  /** A process of the same user. */
  readonly victim: number;
}

/** Stands in every secret, so that whoever prints it has read one. */
export const SECRET = `read-me-${randomInt(2 ** 40)}`;

const HOME_FILES = [
  ".ssh/id_ed25519",
  ".aws/credentials",
  ".netrc",
  ".kube/config",
  "notes.txt",
  "plans.txt",
  "project/.env",
];
const WORKSPACE_SECRETS = [".env", "sub/deep/.env.production", "sub/id_rsa", "sub/.npmrc"];
const WORKSPACE_FILES = ["README.md", "sub/file", "sub/deep/file", ".vscode/settings.json", "sub/.husky/pre-commit"];

export async function makeWorld(t: TestContext, who: Who): Promise<World> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "cs-escape-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const [home, workspace] = [join(dir, "home"), join(dir, "workspace")];
  for (const name of HOME_FILES) put(join(home, name), SECRET);
  for (const name of WORKSPACE_SECRETS) put(join(workspace, name), SECRET);
  for (const name of WORKSPACE_FILES) put(join(workspace, name), "before\n");
  put(join(dir, "other/private.txt"), SECRET);
  symlinkSync(join(home, "notes.txt"), join(workspace, "link-out"));
  symlinkSync("../sub/deep/.env.production", join(workspace, "sub/link-to-secret"));
  for (const repository of [workspace, join(workspace, "sub")]) {
    execFileSync("git", ["init", "-q", repository], {
      env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null" },
    });
  }
  const elsewhere = who.uid === process.getuid?.() && who.uid !== 0 ? undefined : makeElsewhere(t);
  for (const path of [dir, ...(elsewhere ? [elsewhere] : [])]) giveTo(who.uid, path);
  chmodSync(dir, 0o755);
  const victim = await startVictim(t, who);
  return { who, dir, home, ownHome: join(home, ".config/countersign"), workspace, elsewhere, victim };
}

/** What starts a program as this user. */
export function startAs({ uid }: Who): string[] {
  if (uid === process.getuid?.()) return [];
  return ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--"];
}

/** Why there can't be a jailing hub of this user here, or false. */
export function whyNot(who: Who): string | false {
  if (!existsSync("/usr/bin/bwrap")) return "bubblewrap isn't installed";
  const [file = "", ...args] = [...startAs(who), process.execPath, "--check", import.meta.filename];
  const { error, stderr } = spawnSync(file, args, { encoding: "utf8" });
  return error ? error.message : stderr === "" ? false : `user ${who.uid} can't read this repository`;
}

function makeElsewhere(t: TestContext): string {
  const dir = mkdtempSync("/var/lib/cs-escape-");
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  put(join(dir, "notes.txt"), "before\n");
  linkSync(join(dir, "notes.txt"), join(dir, "other-name.txt"));
  return dir;
}

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

export function giveTo(uid: number, path: string): void {
  if (uid === process.getuid?.()) return;
  lchownSync(path, uid, uid);
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    lchownSync(join(entry.parentPath, entry.name), uid, uid);
  }
}

async function startVictim(t: TestContext, who: Who): Promise<number> {
  const [file = "", ...args] = [
    ...startAs(who),
    "perl",
    "-e",
    `$| = 1; print "up"; sleep 600`,
    "--",
    `words=${SECRET}`,
  ];
  const child = spawn(file, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: "/usr/bin:/bin", WORD: SECRET },
  });
  t.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child.pid as number;
}
