import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { literalWords } from "./literal-words.ts";

function literals(command: string): string[] | undefined {
  return literalWords(command)?.flatMap(({ literal }) => literal.map(({ pos, end }) => command.slice(pos, end)));
}

test("operands, values and fed texts are literal; names, options, targets and expansions are not", () => {
  const table: [string, string[] | undefined][] = [
    ["echo a 'b c' \"d $e f\"", ["a", "b c", "d ", " f"]],
    ["A=x B=$(id y) curl --token=t -pz -u u:p", ["x", "y", "t", "u:p"]],
    ["cat <<EOF >out\nkey $v\nEOF", ["key ", "\n"]],
    ["tee <<< 'a b' > out 2>&1", ["a b"]],
    ["for i in p q; do echo r; done", ["p", "q", "r"]],
    ["export A=1", ["1"]],
    ["x=(a b)", ["a", "b"]],
    ["echo `echo a`", ["a"]],
    ["echo $'a\\nb' {x,y} *.md", [".md"]],
    ["echo 'a", undefined],
  ];
  for (const [command, expected] of table) assert.deepEqual(literals(command)?.sort(), expected?.sort(), command);
});

test("a literal piece never holds an operator or an expansion outside of quotes", () => {
  const pieces = fc.constantFrom(..."|&;()<>\n $`\\\"'={}~*", "a", "$(b)", "${c}", "<<E\n", "\nE\n", "-x=", "X=");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
      const command = parts.join("");
      for (const { span, literal } of literalWords(command) ?? []) {
        for (const { pos, end } of literal) {
          assert.ok(span.pos <= pos && pos < end && end <= span.end, command);
          const quoted = /["']/.test(command.slice(span.pos, span.end)) || command.includes("<<");
          // Something stays where the escape was: `$\|X` is no `$X`.
          if (!quoted)
            assert.doesNotMatch(command.slice(pos, end).replace(/\\[\s\S]/g, "."), /[|&;()<>\n `]|\$[\w({]/, command);
        }
      }
    }),
    { numRuns: 3_000 },
  );
});
