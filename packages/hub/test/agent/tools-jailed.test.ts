import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openTools, type TestTools } from "../support/open-tools.ts";

/** Undefined where no jail can be built here; the test is then skipped with the reason. */
async function openJailed(t: TestContext): Promise<TestTools | undefined> {
  const test = await openTools(t, { jailed: true });
  const { warnings } = await test.hub.state();
  const why = warnings.find((text) => text.startsWith("Commands run without a jail"));
  if (why === undefined) return test;
  t.skip(why);
  return undefined;
}

test("the file tools work inside the jail, and files stay owned as before", async (t) => {
  const test = await openJailed(t);
  if (!test) return;
  const file = join(test.workspace, "src/a.txt");
  const write = test.execute("write_file", { path: "src/a.txt", content: "one\ntwo\n" });
  const card = await test.answer({ decision: "allow-once" });
  assert.equal(card.enforcement, "jail");
  assert.equal(card.jail, "workspace");
  assert.deepEqual(await write, { output: "", exitCode: 0 });
  const edit = test.execute("edit_file", { path: "src/a.txt", oldText: "two", newText: "zwei" });
  assert.match((await test.answer({ decision: "allow-once" })).diff ?? "", /-two\n\+zwei/);
  assert.deepEqual(await edit, { output: "", exitCode: 0 });
  assert.deepEqual(await test.execute("read_file", { path: "src/a.txt" }), { output: "one\nzwei\n", exitCode: 0 });
  assert.match((await test.execute("list_dir", { path: "src" })).output, / a\.txt\n/);
  assert.equal(readFileSync(file, "utf8"), "one\nzwei\n");
  assert.equal(statSync(file).uid, process.getuid?.());
});

test("a link that leads out only after it was looked at leads nowhere", async (t) => {
  const test = await openJailed(t);
  if (!test) return;
  const outside = join(test.home.dir, "..", "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "f"), "precious\n");
  mkdirSync(join(test.workspace, "dir"));
  const write = test.execute("write_file", { path: "dir/g", content: "x" });
  await test.asked();
  rmSync(join(test.workspace, "dir"), { recursive: true });
  symlinkSync(outside, join(test.workspace, "dir"));
  await test.answer({ decision: "allow-once" });
  assert.notEqual((await write).exitCode, 0);
  assert.equal(statSync(join(outside, "g"), { throwIfNoEntry: false }), undefined);
});
