import assert from "node:assert/strict";
import { homedir, userInfo } from "node:os";
import { test } from "node:test";
import { addedEnv, GIT_GUARD, isSecretName, sanitizedEnv } from "./environment.ts";

const SECRETS = [
  // Seed 003's names and pattern.
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "PROJ_JARVIS_TOKEN",
  "ANY_KEY",
  "any_secret",
  "My_Token",
  "DB_PASSWORD",
  "SOME_CREDENTIAL",
  // And what it misses.
  "TOKEN",
  "PASSWORD",
  "PGPASSWORD",
  "GITHUB_PAT",
  "MY_CREDENTIALS",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "DATABASE_URL",
  "SSH_AUTH_SOCK",
  "COUNTERSIGN_TOKEN",
  "COUNTERSIGN_HOME",
  "AWS_ACCESS_KEY_ID",
  "AWS_PROFILE",
  "LD_PRELOAD",
  "BASH_ENV",
];

const OURS = {
  PATH: "/bin",
  HOME: homedir(),
  USER: userInfo().username,
  SHELL: "/bin/bash",
  LC_ALL: "C.UTF-8",
  ...GIT_GUARD,
};

test("secret names are known, and ordinary ones aren't taken for secrets", () => {
  for (const name of SECRETS) assert.ok(isSecretName(name), name);
  for (const name of ["PATH", "EDITOR", "KEYBOARD", "TOKENIZER", "MONKEY", "NODE_ENV", "CI"])
    assert.ok(!isSecretName(name), name);
});

test("nothing of the hub's own environment passes but the few names that are meant to", () => {
  const secrets = Object.fromEntries(SECRETS.map((name) => [name, "s"]));
  const inherited = {
    ...secrets,
    NODE_OPTIONS: "--require x",
    FOO: "bar",
    PATH: "/evil",
    HOME: "/evil",
    LC_ALL: "ja_JP.SJIS",
    LANG: "C",
    TERM: "xterm",
    TZ: "UTC",
    TMPDIR: "/t",
  };
  assert.deepEqual(sanitizedEnv("/bin", {}, inherited), { ...OURS, LANG: "C", TERM: "xterm", TZ: "UTC", TMPDIR: "/t" });
  assert.deepEqual(sanitizedEnv("/bin", {}, {}), OURS);
});

test("a profile adds variables, but none that loads code, and the proposal's win", () => {
  const profile = { env: { CI: "1", NODE_ENV: "test", PATH: "/evil", NODE_OPTIONS: "-r x", GIT_PAGER: "x" } };
  assert.deepEqual(addedEnv(profile, { env: { NODE_ENV: "production" } }), { CI: "1", NODE_ENV: "production" });
  assert.deepEqual(addedEnv(null, { env: {} }), {});
});

test("what would reach into the programs that start a jail isn't passed on", () => {
  const added = addedEnv(
    { env: { GLIBC_TUNABLES: "glibc.malloc.check=3", MODE: "a" } },
    { env: { LANGUAGE: "../../tmp" } },
  );
  const { GLIBC_TUNABLES, LANGUAGE, MODE } = sanitizedEnv("/bin", added);
  assert.deepEqual([GLIBC_TUNABLES, LANGUAGE, MODE], [undefined, undefined, "a"]);
});

test("a secret name doesn't pass either when the proposal adds it, and LC_ALL can't be changed", () => {
  const added = {
    ...Object.fromEntries(SECRETS.map((name) => [name, "s"])),
    LC_ALL: "ja_JP.SJIS",
    FOO: "bar",
    constructor: "c",
  };
  assert.deepEqual(sanitizedEnv("/bin", added, {}), { ...OURS, FOO: "bar", constructor: "c" });
});
