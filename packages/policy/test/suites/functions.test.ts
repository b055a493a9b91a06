import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { classify } from "../../src/classify/classify.ts";
import { assess } from "../../src/profile/assess.ts";
import { fixtureContext } from "../support/fixture-context.ts";
import { rows } from "../support/fixture-rows.ts";

describe("functions", () => {
  rows("are followed with their words", "safe", [
    'f() { ls "$1"; }; f src',
    "f() { ls; }; f; f",
    'f() { sort "$1"; }; f data.txt',
    'f() { sort "$@"; }; f a b',
    "function f { ls; }; f",
    "(f() { ls; }; f)",
    "f() ( cd src && ls ); f; cat a",
    "f() { command ls; }; f",
    "f() { local x=$1; sort $x; }; f a",
    'f() { g "$1"; }; g() { sort "$1"; }; f a',
    "ls() { pwd; }; ls -delete",
    'f() { shift; sort "$1"; }; f -o a',
    'f() { if [ $# -gt 0 ]; then ls "$1"; fi; }; f a',
    'f() { echo "$1"; }; for x in a b; do f "$x"; done',
    "f() { ls; } 2>/dev/null; f",
  ]);
  rows("are never taken for safe by mistake", "needs-review", [
    "ls() { pwd; }",
    'f() { sort "$1"; }; f "$x"',
    'f() { sort "$1"; }; f -o',
    'f() { "$@"; }; f ls -la',
    "f() { ls > out; }; f",
    "f() { ls; } > out; f",
    "if x; then ls() { npm test; }; fi; ls",
    "(f() { ls; }); f",
    "f() { ls; } | cat; f",
    "f() { f; }; f",
    "f; f() { ls; }",
    "f() { g() { ls; }; }; f; g",
    "while true; do ls; ls() { pwd; }; done",
    "for i in 1 2; do f; f() { npm test; }; done",
    "f() { ls; }; unset -f f; f",
    "f() { npm test; }; unset -f g; f",
    "FOO=1 f; f() { ls; }",
    "f() { ls; }; FOO=1 f",
    "f() { ls; }; export -f f; bash -c f",
    "f() { ls; }; $x f",
    "ls() { npm test; }; time ls",
    "f() { ls; }; f > out",
    "sh -c 'exec() { ls; }; exec npm test'",
  ]);
  rows("show what is inside", "dangerous", [
    "f() { rm -rf ~; }; f",
    "f() { rm -rf ~; }",
    "ls() { rm -rf ~; }; ls",
    "ls() { rm -rf x; }; command ls; ls",
    "cd() { rm -rf x; }; cd src",
    "function /bin/ls { rm -rf x; }; /bin/ls",
    'f() { cat "$1"; }; f ~/.ssh/id_rsa',
    'f() { "$@"; }; f rm -rf x',
    'f() { $1 -rf "$2"; }; f rm x',
    "if x; then ls() { rm -rf ~; }; fi; ls",
    "f() { g; }; g() { rm -rf x; }; f",
    "f() { ls; }; f() { rm -rf x; }; f",
    ":(){ :|:& };:",
    "a() { b | b & }; b() { a; }; a",
  ]);
  it("aren't followed under a wrapper that only runs programs", () => {
    const { riskLevel, parts } = classify("ls() { npm test; }; command ls; env ls; nice ls", fixtureContext());
    assert.equal(riskLevel, "needs-review");
    assert.ok(parts.some((part) => part.words[0] === "ls" && part.wrapper !== undefined));
  });
  it("are no parts themselves: an entry for a program's name doesn't cover them", () => {
    const { parts } = classify("ls() { npm test; }; ls", fixtureContext());
    assert.deepEqual(
      parts.map((part) => part.words),
      [["npm", "test"]],
    );
  });
  it("are safe only in a shell that ends with the command", () => {
    const classification = classify("f() { ls; }; f", fixtureContext());
    assert.equal(assess(classification, "none").riskLevel, "needs-review");
  });
  it("end, however often they call each other", () => {
    const names = "abcdefghijklmnop".split("");
    const chain = names
      .map((name, at) => `${name}() { ${names[at + 1] ?? "ls"}; ${names[at + 1] ?? "ls"}; }`)
      .join("; ");
    const { opaque, riskLevel } = classify(`${chain}; a`, fixtureContext());
    assert.deepEqual({ opaque, riskLevel }, { opaque: true, riskLevel: "needs-review" });
  });
});
