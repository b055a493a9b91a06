import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LOADS_NOTHING, TELLERS } from "../../src/catalog/versions.ts";
import { classify } from "../../src/classify/classify.ts";
import { fixtureContext } from "../support/fixture-context.ts";
import { type VerdictRow, verdictOf, verdictRows } from "../support/fixture-verdicts.ts";

const held = (commands: string): VerdictRow[] =>
  commands
    .trim()
    .split("\n")
    .map((command) => [command.trim(), "allow", "ask"]);

describe("a version form that may load workspace files asks without a jail", () => {
  verdictRows(
    held(`
    pytest -V
    pytest --version
    pytest --help
    cargo
    cargo --list
    cargo --version
    cargo -V
    cargo -h
    rustc -vV
    rustc --version
    rustc --explain E0382
    rustfmt --version
    rustfmt --check a.rs
    rustup --version
    cargo fmt --check
    cargo metadata --no-deps
    cargo tree
    terraform version
    terraform --version
    terraform validate
    npm --version
    npm -v
    npx --version
    npm fund
    python3 -m pip list
    python3 -m ruff --version
    python3 -m ruff rule E501
    bash -lc 'python3 -m ruff --version'
    python3 -m this
    python3 -m site
    python3 -m json.tool package.json
    git status
    yarn --version
    yarn -v
    yarn --help
    yarn why x
    pnpm --version
    pnpm -v
    pnpm --help
    pnpm ls
    corepack --version
    bazel --version
    bazel --help
    bazelisk --version
    sbt --version
    lein --version
    rails --version
    rails --help
    flake8 --version
    pylint --help
    tox --version
    poetry --version
    poetry show
    pdm --version
    jest --version
    jest -v
    webpack --version
    lerna --version
    ava --version
    ng --version
    nx --version
    turbo --version
    hardhat --version
    ansible --version
    ansible-playbook --version
    hg --version
    hg --help
    bundle --version
    bundle -v
    bundle list
    dotnet
    dotnet --version
    dotnet --info
    packer
    packer version
    packer plugins installed
    uv pip list
    uv tree
    uv python find
    uv version
    go version
    go env
    go list
    deno lint src
    helm lint
    helm template .
    kubectl kustomize .
    docker compose config
    ffprobe a.m3u8
    mediainfo a.m3u8
    sloccount src
    mvn --version
    mvn -v
    gradle --version
    gradle -v
    mise --version
    asdf --version
    curl --version
    convert -version`),
  );
});

describe("a form that loads nothing is safe without a jail", () => {
  const rows =
    "node --version,python3 --version,git --version,make --version,gcc --version,gh --version,ssh -V,vim --version";
  verdictRows(rows.split(",").map((command) => [command, "allow", "allow"]));
});

describe("a form that runs its input, a local file or another machine's asks in a jail too", () => {
  const rows = [
    "tclsh --version",
    "tclsh --version < f",
    "cat s.tcl | tclsh --version",
    "getent -s files passwd",
    "getent --service=files passwd",
    "man -l x.1",
    "tar tf host:x",
    "tar tf host:/x",
    "tar -tzf me@host:x",
    "tar -tzfhost:x",
    "tar --file=host:x -t",
    "cloc --vcs=git .",
    "ldd ./x",
    "ldd ./vendor/tool",
    "ldd /usr/bin/../../home/me/x",
    "scutil",
    "scutil < f",
    "printf 'set x' | scutil",
  ];
  verdictRows(rows.map((command) => [command, "ask", "ask"]));
});

describe("a login is never used by a version form", () => {
  for (const { names, words } of TELLERS) {
    it(words.join(" "), () => {
      for (const name of names.split(/\s+/)) {
        for (const word of words) {
          const { effects } = classify(`${name} ${word}`, fixtureContext());
          const loads = effects.some((effect) => effect.ruleId === "tool.loads");
          assert.ok(!loads || effects.every(({ kind }) => !kind.startsWith("network")), `${name} ${word}`);
          assert.ok(
            loads || verdictOf(`${name} ${word}`, "none") === "ask" || safeWithout.has(name),
            `${name} ${word}`,
          );
        }
      }
    });
  }
});

const safeWithout = new Set(LOADS_NOTHING.split(/\s+/));

it("a shim may run another program, so it isn't certain what it loads", () => {
  const context = fixtureContext({ resolveProgram: (name) => `/home/me/.asdf/shims/${name}` });
  const { effects } = classify("node --version", context);
  assert.deepEqual(
    effects.map(({ ruleId, reliesOnJail }) => [ruleId, reliesOnJail]),
    [["tool.loads", true]],
  );
});

it("every program that loads nothing is one of the version table", () => {
  const tellers = new Set(TELLERS.flatMap(({ names }) => names.split(/\s+/)));
  assert.deepEqual(
    [...safeWithout].filter((name) => !tellers.has(name)),
    [],
  );
});
