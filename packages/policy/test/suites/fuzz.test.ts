import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { classify } from "../../src/classify/classify.ts";
import { decide } from "../../src/decide/decide.ts";
import { deriveEntries } from "../../src/entries/derive.ts";
import { assess } from "../../src/profile/assess.ts";
import { fixtureContext } from "../support/fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "../support/fixture-profile.ts";

const context = fixtureContext();
const TOKENS =
  'ls cat rm -rf / ~ git sudo env xargs find . -exec {} + ; ;; & && | || |& ( ) { } [ ] [[ ]] (( )) $( ` \' " \\ $x ${x} ${x:-y} $((1)) <( >( < > >> <<EOF\nEOF\n <<< 2>&1 *.ts ? ! = x=1 if then else fi for in do done while case esac function f() f read x+= local declare set -- shift unset $1 "$@" $((x+1)) ((x++)) {a,b} {1..3} ${x%a} time coproc # \n \t \0 \u202e -c bash sh eval'.split(
    " ",
  );

/** Everything that is done with a command: none of it may throw, and a safe one must be plainly so. */
function check(command: string): void {
  const classification = classify(command, context);
  const profile = fixtureProfile({ allowlist: [{ pattern: "git **" }], denylist: [{ pattern: "rm **" }] });
  decide(classification, profile, fixtureCircumstances());
  assess(classification, "none");
  deriveEntries(classification, { roots: context.roots });
  for (const { span } of classification.effects)
    assert.ok(span.pos >= 0 && span.end <= command.length && span.pos <= span.end);
  if (classification.opaque) assert.notEqual(classification.riskLevel, "safe");
  if (classification.riskLevel !== "safe") return;
  for (const part of classification.parts) assert.ok(part.program !== undefined, command);
}

it("any string is classified", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), check), { numRuns: 2_000 });
});

it("spans end with the command", () => {
  for (const command of ["((`\\", "((`", "$((`\\"]) check(command);
});

it("any row of shell tokens is classified", () => {
  const rows = fc.array(fc.constantFrom(...TOKENS), { maxLength: 24 });
  fc.assert(
    fc.property(rows, fc.constantFrom("", " "), (tokens, glue) => check(tokens.join(glue))),
    { numRuns: 6_000 },
  );
});

// What they cost is measured by the bench; here a hang is one that outlasts the test.
it("long and deep commands come to an end", () => {
  const pieces = [
    "$(",
    "`",
    "(",
    "{ ",
    "${x:-",
    "if ",
    "a;",
    "a|",
    "<(",
    "f(){ ",
    "[[ (",
    "$((",
    "'",
    '"$(',
    "bash -c '",
    "!",
    "\\",
    "a=",
    "nice ",
    "{a,",
    "~/../",
    "*",
  ];
  for (const piece of pieces) {
    for (const size of [60_000, 1_000_000]) {
      const command = piece.repeat(Math.ceil(size / piece.length));
      const { riskLevel } = classify(command, context);
      // A long text in a variable does no harm.
      if (piece !== "a=") assert.notEqual(riskLevel, "safe", piece);
    }
  }
});
