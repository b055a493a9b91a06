import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { classify } from "../../src/classify/classify.ts";
import { fixtureContext } from "../support/fixture-context.ts";
import { risk } from "../support/fixture-rows.ts";

describe("a command that another shell reads", () => {
  it("is safe in zsh where bash agrees", () => {
    const commands = [
      "ls -la",
      "cat a | grep -n x | head",
      "cd src && ls",
      "if grep -q x a; then echo found; fi",
      'for f in *.ts; do wc -l "$f"; done',
      "x=1; echo $x",
      "[ -f a ] && echo yes",
      "ls 2>/dev/null; cat <<'EOF'\nx\nEOF",
      "diff <(sort a) <(sort b)",
      "bash -c 'x=src; sort $x'",
      "echo a=b --color=never",
    ];
    for (const shell of ["zsh", "/bin/zsh"])
      for (const command of commands) assert.equal(risk(command, { shell }), "safe", command);
  });

  it("isn't where it may not", () => {
    const commands = [
      "ls =rm",
      "echo $x[1]",
      'echo "$x[$(id)]"',
      "echo $x:h",
      "< a",
      "ls; < a",
      "> a",
      "path=/tmp; ls",
      "x=src; sort $x",
      "f() { ls; }; f",
      "read -r x",
      "set -e; ls",
      "a=(1 2); echo ${a[0]}",
      '[ "$x" -eq 1 ]',
      "ls *(.)",
      "for x (a b) ls",
      "repeat 3 ls",
      "ls =(ls)",
      "print -z x",
    ];
    for (const command of commands) assert.notEqual(risk(command, { shell: "zsh" }), "safe", command);
    assert.equal(risk("if true; then x=rm; fi; $x -r y", { shell: "zsh" }), "dangerous");
  });

  it("is judged as POSIX sh where that is its shell", () => {
    assert.equal(risk("ls -la", { shell: "/bin/sh" }), "safe");
    assert.equal(risk("x=src; sort $x", { shell: "sh" }), "safe");
    assert.equal(risk("ls &> /dev/null", { shell: "dash" }), "needs-review");
    assert.equal(risk("ls {a,b}", { shell: "sh" }), "needs-review");
  });

  it("is opaque where nobody knows its shell", () => {
    for (const shell of ["fish", "nu", "/usr/bin/pwsh", ""]) {
      const { opaque, parts } = classify("rm -rf x", fixtureContext({ shell }));
      assert.deepEqual([opaque, parts[0]?.words[0]], [true, "rm"]);
    }
  });
});
