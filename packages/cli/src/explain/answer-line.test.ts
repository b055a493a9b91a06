import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answerLine, type BatchAnswer } from "./answer-line.ts";

const answer = (line: unknown): BatchAnswer =>
  answerLine({ kind: "whole", bytes: Buffer.from(typeof line === "string" ? line : JSON.stringify(line)) }, 7);

function judged(line: object): Exclude<BatchAnswer, { cmd: null }> {
  const found = answer(line);
  assert(found.cmd !== null, JSON.stringify(found));
  return found;
}

function problem(line: unknown): string {
  const found = answer(line);
  assert(found.cmd === null, JSON.stringify(found));
  assert.deepEqual([found.error.code, found.error.line], ["INVALID", 7]);
  return found.error.message;
}

describe("answerLine", () => {
  it("judges without a jail where the line says so", () => {
    const risk = (jail?: string) => {
      const { riskLevel, decision } = judged({ cmd: "cargo tree", ...(jail === undefined ? {} : { jail }) });
      return [riskLevel, decision];
    };
    assert.deepEqual(risk(), ["safe", "allow"]);
    assert.deepEqual(risk("enforced"), ["safe", "allow"]);
    assert.deepEqual(risk("none"), ["needs-review", "ask"]);
    assert.match(judged({ cmd: "cargo tree", jail: "none" }).effects[0]?.sentence ?? "", /no jail enforces that$/);
  });

  it("takes the directory for the workspace, unless nothing would lie outside of it", () => {
    const reasons = (cmd: string, cwd?: string) => judged({ cmd, ...(cwd === undefined ? {} : { cwd }) }).riskReasons;
    assert.deepEqual(reasons("touch a", "/work/app"), ["Writes: /work/app/a"]);
    assert.deepEqual(reasons("touch a", "/work/app/../b/./"), ["Writes: /work/b/a"]);
    assert.deepEqual(reasons("echo x > /home/me/project/a", "/work/app"), [
      "Writes outside the workspace: /home/me/project/a",
    ]);
    assert.deepEqual(reasons("ls", "/home/me/other"), []);
    for (const cwd of ["/", "/home", "/home/me", "/etc", "/etc/x", "/usr/lib", "/var"])
      assert.deepEqual(reasons("ls", cwd), [`Works outside the workspace: ${cwd}`]);
  });

  it("follows links that the line assumes, and only these", () => {
    const target = (files: unknown[], cmd = "cat l/x") => judged({ cmd, files }).effects[0]?.target;
    assert.equal(target([]), "/home/me/project/l/x");
    assert.equal(target(["l/x"]), "/home/me/project/l/x");
    assert.equal(target([{ path: "l", link: "/srv/data" }]), "/srv/data/x");
    assert.equal(target([{ path: "l", link: "sub" }]), "/home/me/project/sub/x");
    assert.equal(target([{ path: "l", link: "../other/y" }], "cat l/../x"), "/home/me/other/x");
    assert.equal(
      target([
        { path: "l", link: "m" },
        { path: "m", link: "/srv" },
      ]),
      "/srv/x",
    );
    const secret = judged({ cmd: "cat notes", files: [{ path: "notes", link: "/home/me/.ssh/id_rsa" }] });
    assert.equal(secret.riskLevel, "dangerous");
    const loop = judged({ cmd: "cat l", files: [{ path: "l", link: "l" }] });
    assert.notEqual(loop.riskLevel, "safe");
  });

  it("tells which of the files run as code, of alternatives the first", () => {
    const code = (cmd: string, ...files: unknown[]) => judged({ cmd, files }).code;
    const here = (name: string) => `/home/me/project/${name}`;
    assert.deepEqual(code("bash a.sh", "a.sh", "b.sh"), [here("a.sh")]);
    assert.deepEqual(code("./a.sh; ./a.sh", "a.sh"), [here("a.sh")]);
    assert.deepEqual(code("bash a.sh", "b.sh"), []);
    assert.deepEqual(code("make", "Makefile", "GNUmakefile"), [here("GNUmakefile")]);
    assert.deepEqual(code("bash a.sh", { path: "a.sh", link: "b.sh" }, "b.sh"), [here("b.sh")]);
    assert.deepEqual(code("ls", "a.sh"), []);
    assert.equal("code" in judged({ cmd: "bash a.sh" }), false);
  });

  it("shows what stands in the scripts of an assumed package.json", () => {
    const script = (...files: unknown[]) => judged({ cmd: "npm test", files }).effects[0]?.script;
    const file = "/home/me/project/package.json";
    const content = JSON.stringify({ scripts: { pretest: "tsc", test: "vitest", other: "x" } });
    const runs = [
      { name: "pretest", text: "tsc" },
      { name: "test", text: "vitest" },
    ];
    assert.deepEqual(script({ path: "package.json", content }), { file, runs });
    assert.deepEqual(script(), { file, silence: "NOT_HERE" });
    assert.deepEqual(script("package.json"), { file, silence: "UNREADABLE" });
    assert.deepEqual(script({ path: "package.json", content: "{" }), { file, silence: "UNREADABLE" });
    assert.deepEqual(script({ path: "package.json", content: "null" }), { file, silence: "NOT_NAMED" });
    assert.deepEqual(script({ path: "package.json", content: '{"scripts":{}}' }), { file, silence: "NOT_NAMED" });
    const long = JSON.stringify({ scripts: { test: "x".repeat(5_000) } });
    assert.deepEqual(script({ path: "package.json", content: long }), { file, silence: "TOO_LARGE" });
    assert.equal(judged({ cmd: "npm test" }).effects[0]?.script, undefined);
  });

  it("refuses a wrong value or a mistyped key, with the line's number", () => {
    const table: [unknown, RegExp][] = [
      ["", /^Line 7: isn't \{"cmd": "…"\}$/],
      ["null", /isn't \{"cmd"/],
      [{ cmd: 1 }, /isn't \{"cmd"/],
      [{ cmmd: "ls" }, /isn't \{"cmd"/],
      [{ cmd: "ls", jail: "jail" }, /^Line 7: jail: /],
      [{ cmd: "ls", jail: null }, /^Line 7: jail: /],
      [{ cmd: "ls", jial: "none" }, /^Line 7: jial: .*did you mean jail\?/],
      [{ cmd: "ls", CWD: "/a" }, /CWD: .*did you mean cwd\?/],
      [{ cmd: "ls", file: ["a"] }, /file: .*did you mean files\?/],
      [{ cmd: "ls", cwd: "a" }, /cwd: must be an absolute path/],
      [{ cmd: "ls", cwd: "" }, /cwd: /],
      [{ cmd: "ls", cwd: "/a\0" }, /cwd: holds a NUL/],
      [{ cmd: "ls", cwd: `/${"a".repeat(5_000)}` }, /cwd: /],
      [{ cmd: "ls", files: "a" }, /files: /],
      [{ cmd: "ls", files: { a: "x" } }, /files: /],
      [{ cmd: "ls", files: [7] }, /files\.0: /],
      [{ cmd: "ls", files: ["a", ""] }, /files\.1: /],
      [{ cmd: "ls", files: ["../a"] }, /files: \/home\/me\/a isn't in the workspace/],
      [{ cmd: "ls", files: ["."] }, /isn't in the workspace/],
      [{ cmd: "ls", files: ["/etc/passwd"] }, /files: \/etc\/passwd isn't in the workspace/],
      [{ cmd: "ls", cwd: "/work/app", files: ["/work/app2/a"] }, /isn't in the workspace/],
      [{ cmd: "ls", files: [{ path: "a", contents: "x" }] }, /files\.0\.contents: .*did you mean content\?/],
      [{ cmd: "ls", files: [{ path: "a", mode: 7 }] }, /files\.0: /],
      [{ cmd: "ls", files: [{ path: "a", content: "x", link: "b" }] }, /files\.0: /],
      [{ cmd: "ls", files: [{ content: "x" }] }, /files\.0: /],
      [{ cmd: "ls", files: Array.from({ length: 1_001 }, () => "a") }, /files: /],
    ];
    for (const [line, message] of table) assert.match(problem(line), message);
  });

  it("ignores keys that resemble none of its own, and writes exactly five without files", () => {
    const found = judged({ cmd: "ls", label: "safe", class: "read-basic", why: "x", id: 3, expected: "allow" });
    assert.deepEqual(Object.keys(found), ["cmd", "riskLevel", "decision", "riskReasons", "effects"]);
  });
});
