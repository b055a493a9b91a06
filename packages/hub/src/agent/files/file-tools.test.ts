import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { ALICE } from "../../../test/support/open-hub.ts";
import { openTools, type TestTools } from "../../../test/support/open-tools.ts";

const FREE = { profile: { security: "full", ask: "off" } };

function at({ workspace }: TestTools, path: string): string {
  return join(workspace, path);
}

test("file tools read, list, write and edit", async (t) => {
  const test = await openTools(t, FREE);
  assert.deepEqual(await test.execute("write_file", { path: "src/deep/a.txt", content: "one\ntwo\nthree\n" }), {
    output: "",
    exitCode: 0,
  });
  assert.deepEqual(await test.execute("read_file", { path: "src/deep/a.txt" }), {
    output: "one\ntwo\nthree\n",
    exitCode: 0,
  });
  const lines = { path: "src/deep/a.txt", startLine: 2 };
  assert.equal((await test.execute("read_file", lines)).output, "two\nthree\n");
  assert.equal((await test.execute("read_file", { ...lines, endLine: 2 })).output, "two\n");
  const edit = { path: at(test, "src/deep/a.txt"), oldText: "two", newText: "$& 'zwei' `2`" };
  assert.equal((await test.execute("edit_file", edit)).exitCode, 0);
  assert.equal(readFileSync(at(test, "src/deep/a.txt"), "utf8"), "one\n$& 'zwei' `2`\nthree\n");
  assert.match((await test.execute("list_dir", { path: "src/deep" })).output, / a\.txt\n/);
  assert.match((await test.execute("list_dir", {})).output, / src\n/);
});

test("write_file writes any text byte for byte", async (t) => {
  const test = await openTools(t, FREE);
  const piece = fc.oneof(
    fc.constantFrom(
      "'",
      "'\\''",
      "\\",
      "\r\n",
      "\n",
      "%s",
      "%",
      "$(id)",
      "`id`",
      "!",
      "\u{1f642}",
      "\ufeff",
      "\x1b[2J",
    ),
    fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "").toWellFormed()),
  );
  const content = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));
  const path = at(test, "fuzz");
  await fc.assert(
    fc.asyncProperty(content, async (text) => {
      assert.equal((await test.execute("write_file", { path: "fuzz", content: text })).exitCode, 0);
      assert.equal(readFileSync(path, "utf8"), text);
      assert.equal((await test.execute("read_file", { path: "fuzz" })).output, text);
    }),
    { numRuns: 8 },
  );
});

test("file tools quote paths as single words", async (t) => {
  const test = await openTools(t, FREE);
  const names = [
    "-",
    "--help",
    "-rf",
    "a b",
    "$(touch pwned)",
    "`id`",
    "it's",
    "~",
    "*",
    "a\nb",
    "ü",
    "\\n",
    "a;b",
    "'",
    "#x",
  ];
  for (const path of names) {
    assert.equal((await test.execute("write_file", { path, content: `in ${path}` })).exitCode, 0, path);
    assert.equal(readFileSync(at(test, path), "utf8"), `in ${path}`);
    assert.equal((await test.execute("read_file", { path })).output, `in ${path}`, path);
    assert.equal((await test.execute("edit_file", { path, oldText: "in ", newText: "" })).exitCode, 0, path);
    assert.equal(readFileSync(at(test, path), "utf8"), path);
  }
  assert.deepEqual(readdirSync(test.workspace).sort(), [...names].sort());
});

test("file tools refuse paths that are outside, missing or no files", async (t) => {
  const test = await openTools(t, FREE);
  const outside = join(test.home.dir, "..");
  mkdirSync(at(test, "dir"));
  writeFileSync(at(test, "file"), "x");
  execFileSync("mkfifo", [at(test, "fifo")]);
  const server = createServer().listen(at(test, "socket"));
  t.after(() => server.close());
  symlinkSync(outside, at(test, "up"));
  symlinkSync(join(outside, "nothing"), at(test, "dangling"));
  symlinkSync("loop", at(test, "loop"));
  symlinkSync("/dev/zero", at(test, "zero"));
  symlinkSync("file", at(test, "inside"));
  const table: [string, string, string][] = [
    ["../x", "OUTSIDE_WORKSPACE", "OUTSIDE_WORKSPACE"],
    ["/etc/passwd", "OUTSIDE_WORKSPACE", "OUTSIDE_WORKSPACE"],
    ["up/x", "OUTSIDE_WORKSPACE", "OUTSIDE_WORKSPACE"],
    [`${test.workspace}-other/x`, "OUTSIDE_WORKSPACE", "OUTSIDE_WORKSPACE"],
    ["zero", "OUTSIDE_WORKSPACE", "OUTSIDE_WORKSPACE"],
    ["dangling", "NOT_FOUND", "NOT_FOUND"],
    ["loop", "NOT_FOUND", "NOT_FOUND"],
    ["dir", "WRONG_KIND", "WRONG_KIND"],
    [".", "WRONG_KIND", "WRONG_KIND"],
    ["fifo", "SPECIAL_FILE", "SPECIAL_FILE"],
    ["socket", "SPECIAL_FILE", "SPECIAL_FILE"],
    ["file/x", "NOT_FOUND", "NOT_FOUND"],
    ["", "INVALID_INPUT", "INVALID_INPUT"],
    ["a\0b", "INVALID_INPUT", "INVALID_INPUT"],
    ["\ud800", "INVALID_INPUT", "INVALID_INPUT"],
    ["x".repeat(5_000), "INVALID_INPUT", "INVALID_INPUT"],
  ];
  for (const [path, reading, writing] of table) {
    const name = path.slice(0, 40);
    await assert.rejects(test.execute("read_file", { path }), { code: reading }, name);
    await assert.rejects(test.execute("edit_file", { path, oldText: "a", newText: "b" }), { code: reading }, name);
    await assert.rejects(test.execute("write_file", { path, content: "x" }), { code: writing }, name);
  }
  await assert.rejects(test.execute("list_dir", { path: "file" }), { code: "WRONG_KIND" });
  await assert.rejects(test.execute("list_dir", { path: "up" }), { code: "OUTSIDE_WORKSPACE" });
  assert.deepEqual(await test.hub.sessions.list(ALICE, 10), []);
  // A link that stays inside is the file that it leads to, and is shown as that.
  assert.equal((await test.execute("write_file", { path: "inside", content: "y" })).exitCode, 0);
  assert.equal(readFileSync(at(test, "file"), "utf8"), "y");
  assert.ok(lstatSync(at(test, "inside")).isSymbolicLink());
});

test("write_file refuses text that can't be written exactly", async (t) => {
  const test = await openTools(t, FREE);
  for (const content of ["a\0b", "\ud800", "a\udfffb"]) {
    await assert.rejects(test.execute("write_file", { path: "x", content }), { code: "INVALID_INPUT" });
  }
  for (const content of ["x".repeat(70_000), "'".repeat(20_000), "€".repeat(60_000)]) {
    await assert.rejects(test.execute("write_file", { path: "x", content }), { code: "TOO_LARGE" });
  }
  writeFileSync(at(test, "big"), "x\n".repeat(300_000));
  await assert.rejects(test.execute("edit_file", { path: "big", oldText: "x", newText: "y" }), { code: "TOO_LARGE" });
  assert.deepEqual(readdirSync(test.workspace), ["big"]);
  assert.equal((await test.execute("write_file", { path: "x", content: "x".repeat(65_000) })).exitCode, 0);
  assert.equal(statSync(at(test, "x")).size, 65_000);
});

test("edit_file puts only the changed line of a large file into the command", async (t) => {
  const test = await openTools(t);
  const line = `${"x".repeat(99)}\n`;
  writeFileSync(at(test, "large"), `${line.repeat(2_000)}mode = 1\n${line.repeat(2_000)}`);
  const edit = test.execute("edit_file", { path: "large", oldText: "mode = 1", newText: "mode = 2" });
  const card = await test.answer({ decision: "allow-once" });
  assert.ok(card.command.length < 600);
  assert.match(card.command, /'mode = 2\n'/);
  assert.match(card.diff ?? "", /\n-mode = 1\n\+mode = 2\n/);
  assert.deepEqual(await edit, { output: "", exitCode: 0 });
  assert.equal(readFileSync(at(test, "large"), "utf8"), `${line.repeat(2_000)}mode = 2\n${line.repeat(2_000)}`);
  assert.equal((await test.execute("read_file", { path: "large" })).truncated, true);
});

test("edit_file refuses text that occurs not once", async (t) => {
  const test = await openTools(t, FREE);
  writeFileSync(at(test, "a"), "one two two");
  const edit = (oldText: string, more: object = {}) =>
    test.execute("edit_file", { path: "a", oldText, newText: "2", ...more });
  await assert.rejects(edit("three"), { code: "NO_MATCH" });
  await assert.rejects(edit("two"), { code: "AMBIGUOUS" });
  await assert.rejects(edit(""), { code: "INVALID_INPUT" });
  await assert.rejects(edit("2"), { code: "INVALID_INPUT" });
  assert.equal((await edit("two", { replaceAll: true })).exitCode, 0);
  assert.equal(readFileSync(at(test, "a"), "utf8"), "one 2 2");
});

test("edit_file refuses a file with redacted text", async (t) => {
  const test = await openTools(t, FREE);
  const hidden: [string, Buffer][] = [
    ["secret", Buffer.from(`ANTHROPIC_API_KEY=sk-ant-${"k".repeat(40)}\nmode = 1\n`)],
    ["latin1", Buffer.from("gr\xfc\xdfe mode = 1\n", "latin1")],
    ["nul", Buffer.from("a\0b mode = 1\n")],
  ];
  for (const [path, bytes] of hidden) {
    writeFileSync(at(test, path), bytes);
    const edit = test.execute("edit_file", { path, oldText: "mode = 1", newText: "mode = 2" });
    await assert.rejects(edit, { code: "NOT_SHOWN" }, path);
    assert.deepEqual(readFileSync(at(test, path)), bytes);
  }
});

test("write_file shows a diff, and applies it only to the content it was made from", async (t) => {
  const test = await openTools(t);
  writeFileSync(at(test, "a.txt"), "one\ntwo\nthree\n");
  const edit = test.execute("edit_file", { path: "a.txt", oldText: "two", newText: "zwei\x1b[2K" });
  const card = await test.answer({ decision: "allow-once" });
  assert.equal(card.diff, "@@ -1,3 +1,3 @@\n one\n-two\n+zwei<U+001B>[2K\n three");
  assert.equal(card.command.split("\n")[1], "printf '%s' 'one");
  assert.deepEqual(await edit, { output: "", exitCode: 0 });
  assert.equal(readFileSync(at(test, "a.txt"), "utf8"), "one\nzwei\x1b[2K\nthree\n");
  const [event] = test.events;
  assert.equal(event?.data.diff, card.diff);

  const late = test.execute("write_file", { path: "a.txt", content: "mine\n" });
  await test.asked();
  writeFileSync(at(test, "a.txt"), "somebody else's\n");
  await test.answer({ decision: "allow-once" });
  assert.deepEqual(await late, { output: "It changed after it was read; nothing was written\n", exitCode: 65 });
  assert.equal(readFileSync(at(test, "a.txt"), "utf8"), "somebody else's\n");

  const fresh = test.execute("write_file", { path: "new/b.txt", content: "mine" });
  assert.equal((await test.asked()).diff, "+mine\n\\ No newline at end of file");
  mkdirSync(at(test, "new"));
  writeFileSync(at(test, "new/b.txt"), "somebody else's\n");
  await test.answer({ decision: "allow-once" });
  assert.equal((await fresh).exitCode, 65);
  assert.equal(readFileSync(at(test, "new/b.txt"), "utf8"), "somebody else's\n");
});

test("a denied write leaves the file, and its read is recorded", async (t) => {
  const test = await openTools(t, { profile: { safeIsMiss: true } });
  writeFileSync(at(test, "a.txt"), "old\n");
  const first = test.execute("write_file", { path: "a.txt", content: "new\n" });
  assert.match((await test.answer({ decision: "deny", reason: "not yours" })).command, /^sha256sum < 'a.txt' && cat/);
  assert.deepEqual(await first, { output: "Command denied by user.: not yours", exitCode: 1 });
  writeFileSync(at(test, "b.txt"), "old\n");
  const second = test.execute("write_file", { path: "b.txt", content: "new\n" });
  await test.answer({ decision: "allow-once" });
  assert.match((await test.answer({ decision: "deny" })).command, /printf/);
  assert.equal((await second).exitCode, 1);
  for (const name of ["a.txt", "b.txt"]) assert.equal(readFileSync(at(test, name), "utf8"), "old\n");
});

test("a proposer cannot set a diff", async (t) => {
  const test = await openTools(t);
  for (const more of [{ diff: "+x" }, { card: { diff: "+x" } }, { approvalId: "x" }]) {
    await assert.rejects(test.propose("touch x", more), { code: "INVALID_PARAMS" });
  }
});

test("write_file is dangerous where code is started from", async (t) => {
  const test = await openTools(t);
  mkdirSync(at(test, ".git/hooks"), { recursive: true });
  const write = test.execute("write_file", { path: ".git/hooks/pre-commit", content: "#!/bin/sh\n" });
  assert.equal((await test.answer({ decision: "deny" })).riskLevel, "dangerous");
  assert.equal((await write).exitCode, 1);
});
