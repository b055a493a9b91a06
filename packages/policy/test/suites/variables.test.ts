import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { classify } from "../../src/classify/classify.ts";
import { assess } from "../../src/profile/assess.ts";
import { fixtureContext } from "../support/fixture-context.ts";
import { rows } from "../support/fixture-rows.ts";

describe("assignments", () => {
  rows("that stay in the shell", "safe", [
    "x=1",
    "x=1; echo $x",
    'n=$(wc -l < README.md); echo "lines: $n"',
    'files=$(ls src); for f in $files; do wc -l "$f"; done',
    "declare x=1; echo $x",
    "typeset x; ls",
    "readonly x=1; echo $x",
    "x=a y=$x; echo $y",
    "x+=a; echo $x",
    'a=(1 2 3); echo "${a[@]}"',
    "a+=(4); ls",
    "a[0]=1; echo ${a[0]}",
    "x={a,b}; echo $x",
    "x=1; (x=2); echo $x",
    "unset x; ls",
    "TZ=UTC; date",
  ]);
  rows("that mean something to bash or to programs", "needs-review", [
    "PATH=/x; ls",
    "IFS=$x",
    "export IFS=,",
    "unset IFS",
    "HOME=/tmp; ls ~",
    "RANDOM='a[0]'",
    "OPTIND=1",
    "OLDPWD=/etc; cd -",
    "http_proxy=x",
    "npm_config_x=y",
    "export FOO=bar; ls",
    "export x=1; x=2; ls",
    "export x; ls",
    "declare -x FOO=1",
    "USER=root; ls",
  ]);
  rows("that surely run something else", "dangerous", ["PS4='$(id)'; set -x; ls", "BASH_ENV=x; bash -c ls"]);
  rows("that bash evaluates or may refuse", "needs-review", [
    "a[i]=1",
    "a[$i]=1",
    "a=([0]=x)",
    "a=([i]=x)",
    "readonly x=1; x=2",
    "declare -r x=1; x=2; ls",
    "local x=1",
    "declare -i x=1",
    "declare -n x=y",
    "declare -u x=y",
    "export -f f",
    'declare "x=1"',
    "declare x'y'=1",
    "declare $x",
    "x=${y@P}",
    "x=$((y))",
    "unset 'a[0]'",
    "ls() { pwd; }; unset ls; ls",
  ]);
  it("of names in capitals are safe only where we made the environment", () => {
    const { riskLevel } = classify("FOO=1; echo x", fixtureContext());
    assert.equal(riskLevel, "safe");
    for (const [command, wanted] of [
      ["FOO=1; echo x", "needs-review"],
      ["foo=1; echo x", "safe"],
    ] as const)
      assert.equal(assess(classify(command, fixtureContext()), "none").riskLevel, wanted, command);
    assert.equal(classify("MODE=1; ls", fixtureContext({ env: { MODE: "x" } })).riskLevel, "needs-review");
  });
});

describe("values", () => {
  rows("are known in a straight line", "safe", [
    "d=src; ls $d",
    "d=src; sort $d/a.txt",
    'f=a.txt; sort -- "$f" | uniq -c',
    'opts="-l -a"; ls $opts src',
    "x=src; ls $x && x=b && sort $x",
    "x=a; { x=b; }; sort $x",
    "x=a; if ls; then sort $x; fi",
    "for x in a b c; do sort $x; done",
    "d=src; for f in a b; do sort $d/$f; done",
    "d=src; while read -r l; do sort $d; done < f",
    "set -- a b; sort $1",
    'set -- a b; sort "$@"',
    "set -- -o a; shift; sort $1",
    'a=(x y); sort "${a[@]}"',
    "x=a; x+=.txt; sort $x",
    "e=; $e ls",
    "bash -c 'x=src; sort $x/a'",
    "bash -c 'sort \"$1\"' _ a",
    "x=; sort $x a",
    'IFS=,; x=a; sort "$x"',
  ]);
  rows("aren't where something may have changed them", "needs-review", [
    "sort $x",
    "x=-o; sort $x a b",
    "x='-o out'; sort $x a",
    "x=a; true || x=-o; sort $x",
    "x=a; ls && x=-o; sort $x",
    "if ls; then x=a; fi; sort $x",
    "x=a; case y in b) x=-o;; esac; sort $x",
    "x=a; for i in 1 2; do sort $x; x=-o; done",
    "x=a; while ls; do sort $x; x=-o; done",
    "x=a; while ls; do sort $x; read -r x; done",
    "x=a; f() { x=-o; }; f; sort $x",
    "x=a; f() { x=-o; }; for i in 1 2; do sort $x; f; done",
    "x=a; read -r x; sort $x",
    "x=a; unset x; sort $x",
    "x=a; printf -v x -o; sort $x",
    "x=a; for x in b c; do ls; done; sort $x",
    "x=a; ((x=5)); sort $x",
    "ls | read -r x; sort $x",
    "x=a; x=-o :; sort $x",
    "f() { local x; sort $x; }; x=a; f",
    "x=a; declare -n y=x; y=-o; sort $x",
    "x='*'; sort $x",
    "x=a; { x=-o & }; sort $y",
    "set -- a; set -- $x; sort $1",
    "while ls; do sort $1; shift; done",
    "set -- a; while ls; do sort $1; s\\hift; done",
    "x=a; while ls; do sort $x; read 'x'; done",
    "x=src; bash -c 'sort $x'",
    "x=ls; $x -la",
    "x=a\n: $((1/0)); x=b\nsort $x",
    "x=a; readonly x\nx=b; ls\nsort $x",
    "x=1; n=x; while ls; do sort $x; let $n=5; done",
    "f() { sort $2; }; f $x a",
    "declare x={a,-o}; sort $x",
    "IFS=,; x=a,-o; sort $x",
    "IFS=,; x=a; sort $x",
    "IFS=; x='a b'; sort $x",
    "IFS=5; n=151; sort $n",
    "IFS=5; n=$((100+51)); sort $n",
    "IFS=,; set -- a,-o; sort $@",
  ]);
  rows("are followed to find harm", "dangerous", [
    "x=rm; $x -rf ~",
    "x=rm; $x /etc/passwd",
    "x=r; y=m; $x$y /etc/passwd",
    'cmd="rm -rf /tmp/x"; $cmd',
    "a=~/.ssh; cat $a/id_rsa",
    'a=~/.ssh/id_rsa; cat "$a"',
    "a=.env; cat < $a",
    "a=-delete; find . $a",
    'a=(rm -rf ~); "${a[@]}"',
    "x='rm -rf ~'; eval \"$x\"",
    "x='rm -rf ~'; bash -c \"$x\"",
    "x=/etc/shadow; bash -c 'cat $x'",
    "e=; x=~/.ssh $e; cat $x/id_rsa",
    "$UNSET rm -r x",
    "declare x=rm; $x -r y",
    "x=xrm; ${x#x} /etc/passwd",
    "x=RM; ${x,,} /etc/passwd",
    "${x:-rm} -r y",
    "x=rm y=; $x $y -r z",
    'set -- rm -r x; "$@"',
    "set -- rm; for c do $c -r x; done",
  ]);
  rows("may be harmful where they aren't certain", "dangerous", [
    "if true; then x=rm; fi; $x /etc/passwd",
    "x=ls; for i in 1 2; do $x /etc/passwd; x=rm; done",
    "true || x=/etc/shadow; cat $x",
    "for f in a ~/.ssh/id_rsa; do cat $f; done",
    "a=~/.ssh\n: $((1/0)); a=src\ncat $a/id_rsa",
    "f() { x=rm; }; f; $x -r y",
    "while true; do $x /etc/passwd; x=rm; done",
    "for f in *; do cat $y; y=/etc/shadow; done",
    "IFS=,; x=rm,-r,y; $x",
    "a=(r m); ${a[0]}${a[1]} -r y",
    "x=`printf rm`; $x -r y",
    "alias x=rm\nx -r y",
    "for c in a b c d e f g h i j k l m n o p q /etc/shadow; do cat $c; done",
  ]);
});

describe("what a loop counts on", () => {
  rows("holds in each round", "safe", [
    "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done",
    "i=0; while (( i < 3 )); do echo $i; ((i++)); done",
    "for ((i=0;i<3;i++)); do echo $i; done",
    "for i in 1 2 3; do echo $((i*2)); done",
    "for i in {1..50}; do echo $((i*2)); done",
    "i=5; until (( i == 0 )); do echo $i; ((i--)); done",
    'max=0; while read -r n; do [ "$n" -gt "$max" ] && max=$n; done < f; echo "$max"',
  ]);
  rows("or not", "needs-review", [
    "i=0; while (( i < 3 )); do echo $i; read i; done",
    "i=0; while (( i < 3 )); do i=x; ls && continue; i=0; done",
    "for ((i=x;i<3;i++)); do echo $i; done",
    "for i in 1 x; do echo $((i)); done",
    "for i in $(ls); do echo $((i)); done",
    "max=0; while read -r n; do echo $((max)); max=$n; done < f",
    "max=0; while read -r n; do [ $max ]; max=$n; done < f",
  ]);
});

it("what arithmetic sets is read before it is set", () => {
  for (const sets of ["((++z))", "((z=z+1))", "((z+=1))", "((y=z, z=1))", "echo $((++z))", "let z=z+1"]) {
    assert.notEqual(classify(`z='a[$(pwned)]'; ${sets}`, fixtureContext()).riskLevel, "safe", sets);
  }
  for (const sets of ["((++z))", "((z=z+1))", "((z=1, z+1))"]) {
    assert.equal(classify(`z=1; ${sets}`, fixtureContext()).riskLevel, "safe", sets);
  }
});
