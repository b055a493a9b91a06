import assert from "node:assert/strict";
import { it } from "node:test";
import { fixtureContext } from "../../test/support/fixture-context.ts";
import { classify } from "../classify/classify.ts";

const context = fixtureContext();

/** bash runs what is in parentheses, or refuses the command, or takes the lines after it for text. */
const MISREAD = [
  "echo 2<(touch owned)",
  "ls 10>(touch owned)",
  'echo 2<(touch owned)"$x"',
  "echo $(echo 2<(touch owned))",
  "echo `echo 2<(touch owned)`",
  "bash -c 'echo 2<(touch owned)'",
  "for x in 2<(touch owned); do echo; done",
  "case 2<(touch owned) in a) ls;; esac",
  "[[ -n 2<(touch owned) ]]",
  "[[ 2<(touch owned) == a ]]",
  "<=()",
  "cat a<(id)",
  "cat < a<(id)",
  "comm <(sort a)<(sort b)",
  "ls >&-id",
  "cat <&-id",
  "echo $(cat <<E) a\n: '\nE\nid #'",
  "echo $(time [[ a > owned ]])",
  'echo "$(time -p ! [[ a > owned ]])"',
  "cat <(time [[ a > owned ]])",
  "cat <<\\\n-E\nx\nE\ntouch owned\n-E",
  "cat <<'",
  "echo \"${x-$'\\x24(touch owned)'}\"",
  "echo \"${x%$'\\x60touch owned\\x60'}\"",
  "echo \"$((1 + $'\\x61'))\"",
  "cat <<<$(ls)>(id)",
  "echo ${x:-2<(id)}",
  "s=</dev/null a[ ;id ]=1",
  "cat <<E\n${x:-'`touch owned`'}\nE\n",
  "echo \"${x:-'$(touch owned)'}\"",
  "s=</dev/null a[  ] b",
  "[[;]]",
  "[[ & ]]",
  "((ls)\nls)",
  "echo ${ ",
  "echo ${ ls; }",
  "echo ${|ls; }",
  "[[ -f\na ]]",
  "[[ a ==\nb ]]",
  "cat <<0>a\n0",
  "cat <((ls))",
  "(\\\n(ls))",
  "ls 2\\\n>a",
  'cat "$HO\\\nME/a"',
  "echo `\\\\\\\n `",
  'printf "$\\\nx"',
  "cat $\\\n'a\\tb'",
  "sed $'# a\\\nw owned' b",
  "cat <<<\\;<(id)",
  "for((;;)do ls; done",
  "cat >& -id",
  "cat <2>a",
  "echo $(a=(\\|))",
  "a= >b c=()",
  "ls *(a)",
  "for x in @(a|b); do ls; done",
  "for(;;) do ls; done",
  "for (;;) do ls; done",
  "{rm,-r\\\nf,a}",
  "echo {1..3\\\n}",
  "cat <{fd}>a",
  "cat <<{fd}>a\n{fd}",
];

const PLAIN = [
  "echo '2<(touch owned)'",
  'echo "2<(touch owned)"',
  "echo 2\\<\\(x\\)",
  "diff <(sort a) <(sort b)",
  "wc -l < <(ls)",
  "cat <<E\n2<(x)\nE",
  "echo $(cat <<E\n2<(x)\nE\n)",
  "ls >&-",
  "echo $'\\x24(id)'",
  "ls \\\n-la",
  "ls a\\\n  -la",
  "ls>&-\\\n",
  "cat $'a' ${x:-a (b)}",
  "echo $x\\\n  a",
  "[[ -f a &&\n  -f b ]]",
  "ls \\\n  -la",
  'echo "a \\\nb"',
  "echo 'a\\\nb'",
  "time [[ a > b ]]",
  "echo $(time ls)",
  "ls 2>&1>/dev/null",
  "ls 2>&- a",
];

it("what the parser is known to read otherwise than bash is opaque", () => {
  for (const command of MISREAD) assert.equal(classify(command, context).opaque, true, command);
});

it("text that only looks like it is read", () => {
  for (const command of PLAIN) {
    const { riskLevel, opaque } = classify(command, context);
    assert.deepEqual({ command, riskLevel, opaque }, { command, riskLevel: "safe", opaque: false });
  }
});
