import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { classify } from "../../src/classify/classify.ts";
import type { Classification } from "../../src/model/classification.ts";
import { fixtureContext } from "../support/fixture-context.ts";
import { PROGRAMS, ScriptWriter } from "../support/fixture-scripts.ts";

const BASH = "/bin/bash";
const SCRIPTS = 2_500;
const HOME = "/home/me";
/** One line of the log for each program that ran: its words, with separators that none of them holds. */
const PROGRAM = `#!/bin/sh
line="\${0##*/}"
for word in "$@"; do line="$line$(printf '\\037')$word"; done
printf '%s\\036' "$line" >> "$LOG"
`;

let root = "";
before(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "countersign-values-")));
  for (const directory of ["bin", "work", "work/src"]) mkdirSync(join(root, directory));
  for (const file of ["a", "b", "src/a"]) writeFileSync(join(root, "work", file), "");
  for (const name of [...PROGRAMS, "pwned", "cat"]) writeFileSync(join(root, "bin", name), PROGRAM, { mode: 0o755 });
  for (const name of ["bash", "sh", "env", "xargs", "seq"])
    for (const path of [`/bin/${name}`, `/usr/bin/${name}`])
      if (existsSync(path) && !existsSync(join(root, "bin", name))) symlinkSync(path, join(root, "bin", name));
});
after(() => rmSync(root, { recursive: true, force: true }));

/** Texts that run a program if they are evaluated, and everything that may evaluate one. */
const SPICE = {
  texts: [
    "'a[$(pwned)]'",
    "'$(pwned)'",
    "'`pwned`'",
    "'x[$(pwned)]=1'",
    "pwned",
    "-v",
    "'-v a[$(pwned)]'",
    "'!'",
    "x",
    "y",
  ],
  commands: [
    "echo $((V))",
    "echo $((V + 1))",
    "echo $((V = W))",
    "((V))",
    "((V = $V))",
    "((V++))",
    "let V",
    "let $V",
    "let V=W",
    "[[ $V -eq 1 ]]",
    "[[ V -lt W ]]",
    "[[ -v V ]]",
    "[[ -v $V ]]",
    "[[ $V == $V ]]",
    "[[ $V =~ a ]]",
    "[ $V ]",
    '[ "$V" ]',
    '[ "$V" "$V" ]',
    '[ "$V" -eq "$V" ]',
    '[ ! "$V" "$V" ]',
    "[ -v $V ]",
    'test -n "$V"',
    'test "$V" = "$V"',
    'test "$V" -a "$V"',
    "read $V <<< a",
    "read -r V <<< W",
    "read -a V <<< W",
    'printf -v "$V" x',
    "printf -v V W",
    'printf "$V"',
    "printf '%s' W",
    "printf %n W",
    "declare $V",
    "declare V=W",
    "declare -i V",
    "declare -n V=V",
    "declare -a V=(W)",
    "readonly V=W",
    "unset $V",
    "unset 'V[W]'",
    "mapfile $V <<< a",
    "getopts W V",
    "getopts ab $V",
    "echo ${V:V}",
    "echo ${V:1:V}",
    "echo ${V: -1}",
    "echo ${V[V]}",
    "echo ${V[0]}",
    "echo ${V@P}",
    "echo ${V@Q}",
    "echo ${!V}",
    "echo ${!V*}",
    "echo ${#V[@]}",
    "echo ${V/V/$V}",
    "echo ${V:=W}",
    "echo ${V:-$V}",
    "echo ${V^^$V}",
    "V[V]=W",
    "V[$V]=W",
    "V=([V]=W)",
    "V=(W)",
    "V+=W",
    "V=$((V))",
    "RANDOM=$V",
    "IFS=$V",
    "IFS=,",
    "trap 'ls W' EXIT",
    "trap 'echo $((V))' EXIT",
    "echo $(( $(seq 1 3) + V ))",
    "echo $((V$(seq 1 3)))",
    "echo ${V:V:V}",
    "echo ${!V[@]}",
    "[ $(seq 1 3) -gt $V ]",
    "V=$(seq 1 3)",
    "PS4=W",
    "set -x",
    "set -W",
    "shift $V",
    "shift W",
    "exit $V",
    "return $V",
    "break $V",
    "for ((V=W; V<2; V++)); do break; done",
    "for V in W W; do ls $V; done",
    "select V in W; do break; done <<< 1",
    "case $V in $V) ls;; esac",
    "cat <<E\n$V ${V:-W}\nE\n",
    "cat <<< $V",
    "bash -c 'echo $1' _ W",
    'bash -c "$V"',
    "bash -c 'echo $(($1))' _ W",
    "sh -c 'V=1; echo $V' W",
    "xargs -I{} echo {} <<< $V",
    "$V",
    "$V W",
    '"$V"',
    "command $V",
    "env W ls",
    "V=W ls",
    "V=W f",
    "IFS=, read -r V V <<< W",
    "exec 3<<< $V",
    "read -u 3 V",
    "exec {V}< a",
    "ls {W,a}",
    "eval W",
    "alias ls=W",
    "trap W EXIT",
    "f() { W; }",
    "time W",
    "coproc W",
    "wait $V",
    "wait -n -p V",
    "printf '%(%s)T' W",
    "hash -p W ls",
    "unset -f V",
    "local -n V=V",
    "set -- W W",
  ],
};

/** What bash really runs. */
function run(script: string): string[][] {
  const log = join(root, "log");
  writeFileSync(log, "");
  const env = { PATH: join(root, "bin"), HOME, LOG: log, LC_ALL: "C.UTF-8" };
  spawnSync(BASH, ["--noprofile", "--norc", "-c", script], {
    cwd: join(root, "work"),
    env,
    timeout: 10_000,
    input: "",
  });
  const lines = readFileSync(log, "utf8").split("\x1e");
  return lines.filter((line) => line !== "").map((line) => line.split("\x1f"));
}

/** Whether a part stands for these words: one that isn't literal may be any number of them. */
function fits(part: readonly (string | null)[], words: readonly string[]): boolean {
  const [first, ...rest] = part;
  if (first === undefined) return words.length === 0;
  if (first !== null) return words[0] === first.replace(/^~(?=\/|$)/, HOME) && fits(rest, words.slice(1));
  return words.some((_, index) => fits(rest, words.slice(index))) || fits(rest, []);
}

/** Where everything unsafe is a program's own doing, an entry may cover it: then each word must be what bash makes of it. */
function isRelied({ opaque, effects }: Classification): boolean {
  return !opaque && effects.every((effect) => effect.risk === "safe" || effect.own);
}

const seed = Number(process.env.SEED ?? 1) * 1_000_003;

it("nothing that is called safe evaluates a text", (test) => {
  if (!existsSync(BASH)) return test.skip("no bash");
  const work = join(root, "work");
  const resolveProgram = (name: string) => (name === "pwned" ? undefined : fixtureContext().resolveProgram(name));
  const context = fixtureContext({ cwd: work, home: HOME, roots: [work], resolveProgram });
  let safe = 0;
  for (let index = 0; index < SCRIPTS * 4; index += 1) {
    const script = new ScriptWriter(seed + index * 7_919, SPICE).script(1 + (index % 2));
    if (classify(script, context).riskLevel !== "safe") continue;
    safe += 1;
    assert.ok(!run(script).some(([name]) => name === "pwned"), JSON.stringify(script));
  }
  test.diagnostic(`${safe} of ${SCRIPTS * 4} scripts are safe`);
  assert.ok(safe > SCRIPTS / 50);
});

it("whatever bash runs is among the parts, with the words that they say", (test) => {
  if (!existsSync(BASH)) return test.skip("no bash");
  const work = join(root, "work");
  const context = fixtureContext({ cwd: work, home: HOME, roots: [work] });
  let relied = 0;
  for (let index = 0; index < SCRIPTS; index += 1) {
    const script = new ScriptWriter(seed + index * 7_919).script();
    const classification = classify(script, context);
    if (!isRelied(classification)) continue;
    relied += 1;
    for (const words of run(script)) {
      const found = classification.parts.some((part) => fits(part.words, words));
      assert.ok(found, `${JSON.stringify(script)} runs ${JSON.stringify(words)}`);
    }
  }
  test.diagnostic(`${relied} of ${SCRIPTS} scripts could be relied on`);
  assert.ok(relied > SCRIPTS / 20);
});
