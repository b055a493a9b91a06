import { describe } from "node:test";
import { rows } from "./fixture-rows.ts";

describe("reading into variables", () => {
  rows("with plain names", "safe", [
    "read -r line",
    'read line; echo "$line"',
    "read",
    "read -t 5 -n 1 x",
    "read -rp 'name? ' x",
    "read -ra words <<< 'a b'; echo \"${words[0]}\"",
    'while read -r a b; do echo "$a"; done < f',
    'cat f | while read -r l; do echo "$l"; done',
    'while IFS= read -r line; do echo "${line%%,*}"; done < f',
    'while IFS=, read -r a b c; do echo "$b"; done < data.csv',
    'mapfile -t lines < f; echo "${lines[0]}"',
    "readarray -t lines < <(ls)",
    "printf -v x '%s' a; echo \"$x\"",
    'while getopts "ab:" o; do echo "$o"; done',
    'exec 3< data.txt; read -r x <&3; echo "$x"',
  ]);
  rows("with other words", "needs-review", [
    "read PATH",
    "read 'a[$(x)]'",
    "read -e x",
    "read $x",
    "read -u $x y",
    "read -i x",
    "read -ar x",
    "IFS=$x read -r y",
    "IFS=, ls",
    "read() { ls; }; IFS=, read x",
    "mapfile 'a[0]'",
    "printf -v 'a[0]' x",
    "printf -v x '%n' y",
    'printf -v x "$y"',
    "getopts $x y",
    "exec 3> f",
  ]);
});

describe("parameter expansions", () => {
  rows("that only cut and choose", "safe", [
    'echo "${line%%,*}" "${x:-default}" "${x:0:3}" "${x: -3}" "${#x}" "${x/a/b}" "${x^^}" "${x:+y}"',
    'echo "$1" "$@" $# $? $$ $RANDOM "${a[@]}" "${#a[@]}" "${x@Q}"',
    'for f in *.ts; do echo "${f%.ts}"; done',
    "ls ${x:-src}",
  ]);
  rows("that evaluate, assign or end the shell", "needs-review", [
    "echo ${x:y}",
    "echo ${x:0:y}",
    "echo ${x:0:-1}",
    "echo ${x@P}",
    "echo ${x@A}",
    "echo ${!x}",
    "echo ${!x*}",
    "echo ${x:=1}",
    "echo ${x:?}",
    "echo ${a[i]}",
    "echo ${a[$i]}",
    "echo $[1+1]",
    "echo ${x:-${y@P}}",
    "ls ${x:-..}/y > z",
  ]);
  rows("with code inside", "dangerous", [
    "echo ${x:-$(rm -rf ~)}",
    'echo "${a:=$(rm -rf ~)}"',
    "echo ${x/$(rm -rf ~)/}",
    "x='$(rm -rf ~)'; echo \"${x@P}\"",
    "x='a[$(rm -rf ~)]'; echo ${!x}",
    "x='a[`rm -rf ~`]'; echo ${y:x}",
  ]);
});

describe("arithmetic", () => {
  rows("of numbers", "safe", [
    "echo $((1+2))",
    "x=5; echo $((x+1)) $((${x} * 2)) $(($x % 3))",
    "x=5; ((x > 3)) && echo big",
    "i=0; ((i++)); ((++i)); ((i += 2)); echo $i",
    "((x = 5, y = x)); ls",
    "let x=1",
    "let i=0 i++",
    "echo $(( ${#x} + $# + $? ))",
    "[[ 1 -eq 2 ]]",
    "x=3; [[ $x -eq 1 ]]; [[ x -gt 2 ]]",
    '[ "$x" -eq 1 ]',
    "n=2; [ $n -lt 3 ]",
    "[[ -v x ]]",
    "test -v x",
    "[[ $x == y* && -n $z ]]",
    "[[ $x =~ ^a ]]",
  ]);
  rows("of what isn't known", "needs-review", [
    "echo $((i+1))",
    "echo $((x=1))",
    "echo $((08))",
    "((x))",
    "((x++))",
    "((x += 1))",
    "let x=y",
    "let $x",
    "x=a; echo $((x))",
    "read x; echo $((x))",
    "x=$(ls); echo $((x))",
    "((PATH = 1))",
    "(('x'))",
    "((a[0]))",
    "((x=5 ? y : 1))",
    "x=1; x='y'; echo $((x))",
    "((0 && (x=5))); echo $((x))",
    "[[ x -eq y ]]",
    "[[ $x -eq 1 ]]",
    "[ $x -eq 1 ]",
    "[[ -v $x ]]",
    "[[ -v a[0] ]]",
    '[ -v "$x" ]',
    "[[ -R x ]]",
  ]);
  rows("with code inside", "dangerous", [
    "echo $((a[$(rm -rf ~)]))",
    "((a[$(rm -rf ~)]))",
    "for ((i=$(rm -rf ~);;)); do ls; done",
    "let 'a[$(rm -rf ~)]=1'",
    "declare -i x='a[$(rm -rf ~)]'",
    "[[ -v 'a[$(rm -rf ~)]' ]]",
    "test -v 'a[$(rm -rf ~)]'",
    "[ -v 'a[`rm -rf ~`]' ]",
    "printf -v 'a[$(rm -rf ~)]' x",
    "unset 'a[$(rm -rf ~)]'",
    "read 'a[$(rm -rf ~)]'",
    "mapfile 'a[$(rm -rf ~)]'",
    "x='a[$(rm -rf ~)]'; echo $((x))",
    "x='a[$(rm -rf ~)]'; [[ $x -eq 1 ]]",
    "x='a[$(rm -rf ~)]'; y=$x; ((y))",
  ]);
});

describe("braces", () => {
  rows("are the words that they stand for", "safe", [
    "ls {a,b}",
    "cat src/{a,b}.ts",
    "sort a{1..3}",
    "for i in {1..3}; do echo $i; done",
    "cp_x=1; echo {a..e} x{,.bak}",
    "ls {src,lib}/{a,b}",
  ]);
  rows("unless they can't be read", "needs-review", [
    "{ls,-la}",
    "ls $x{a,b}",
    "ls {a,$(id)}",
    "ls {a,{b,c}}",
    "ls {1..1000}",
    "sort {-o,x}",
    "sh -c 'sort {a,b}'",
    "ls > {a,b}",
    "cat {/etc/passwd,x}",
  ]);
  rows("may name what nobody should read", "dangerous", [
    "cat ~/.ssh/{id_rsa,x}",
    "cat {.env,x}",
    "{rm,-rf,x}",
    "rm -r{,f} x",
    "find . -{delete,print}",
  ]);
});

describe("compound commands", () => {
  rows("of harmless ones", "safe", [
    'case "$x" in a) ls;; *) pwd;; esac',
    "case $x in a|b) ls;& c) pwd;;& esac",
    "if ls; then pwd; elif test -f a; then date; else echo no; fi",
    "until test -f a; do sleep 1; done",
    'for f in *.ts; do wc -l "$f"; done',
    'for f in $(ls); do wc -l "$f"; done',
    'for x; do echo "$x"; done',
    "diff <(sort a) <(sort b)",
    "time { ls; pwd; }",
    "cat <<EOF\n${x:-a} $((1+2)) $(pwd)\nEOF",
    'cat <<< "${x%a}"',
    "set -e\nls\npwd\n\nif true; then\n  ls\nfi",
    "set -euo pipefail; ls | head",
    "set -x; ls",
    "set +e; ls",
    "ls; set -o pipefail",
    "pushd src && ls",
    "exec 2>/dev/null; ls",
    Array.from({ length: 200 }, () => "ls").join("; "),
  ]);
  rows("that start, change or ask something", "needs-review", [
    "e\\\ncho $\\\n(pwd)",
    "select x in a b; do ls; done",
    "coproc ls",
    "ls &",
    "set -k; ls",
    "set -a; ls",
    "set -o posix; ls",
    "set +B; ls {a,b}",
    "set -o $x",
    "ls > >(cat > f)",
    "exec {fd}> /dev/null",
    "eval 'ls'",
    'eval "$x"',
    "alias ls='ls -la'",
    "trap ls EXIT",
    "trap ls DEBUG",
    "popd && cat a",
    "for PATH in a b; do ls; done",
    "for f in {a,$x}; do ls; done",
    "case ${x@P} in a) ls;; esac",
  ]);
  rows("with harm inside", "dangerous", [
    "case x in a) rm -rf ~;; esac",
    "case $(rm -rf ~) in a) ls;; esac",
    "until rm -rf ~; do :; done",
    "eval 'rm -rf x'",
    "shopt -s expand_aliases; alias ls='rm -rf ~'\nls",
    "trap 'rm -rf ~' EXIT",
    "cat <<EOF\n$(rm -rf ~)\nEOF",
    "cat <<EOF\n${x:-$(rm -rf ~)}\nEOF",
    "ls > >(rm -rf x)",
    "exec 3<> /dev/tcp/1.2.3.4/5",
    "cd /etc && echo x > passwd",
    "$\\\n(rm -rf x)",
  ]);
});
