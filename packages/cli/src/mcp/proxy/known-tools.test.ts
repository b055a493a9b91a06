import assert from "node:assert/strict";
import { it } from "node:test";
import { KnownTools } from "./known-tools.ts";

const tool = (name: string, description = "") => ({ name, description, inputSchema: { type: "object" } });

it("keeps what was said of a tool since somebody looked, each once, the newest last", () => {
  const book = new KnownTools();
  book.replace([tool("a", "one")]);
  book.see(tool("a", "two"));
  book.see(tool("a", "one"));
  const texts = () =>
    book.versions("a")?.map(({ text }) => (JSON.parse(text ?? "{}") as { description: string }).description);
  assert.deepEqual(texts(), ["two", "one"]);
  book.accepted("a");
  assert.deepEqual(texts(), ["one"]);
  for (let version = 0; version < 20; version += 1) book.see(tool("a", `${version}`));
  assert.equal(texts()?.length, 8);
});

it("the order of keys is no change", () => {
  const book = new KnownTools();
  book.replace([{ name: "a", description: "x" }]);
  book.see({ description: "x", name: "a" });
  assert.equal(book.versions("a")?.length, 1);
});

it("what isn't on the newest list, or isn't a tool, isn't there", () => {
  const book = new KnownTools();
  book.replace([tool("a"), tool("b")]);
  book.replace([
    tool("b"),
    null,
    7,
    {},
    { name: "" },
    { name: 7 },
    { name: "x".repeat(300) },
    { name: "c", description: "\ud800" },
  ]);
  assert.deepEqual(
    ["a", "b", "c", ""].map((name) => book.versions(name) !== undefined),
    [false, true, false, false],
  );
});

it("what is told to the hub fits a frame, whatever the server says", () => {
  const book = new KnownTools();
  for (const length of [4_096, 1_000]) {
    book.replace(Array.from({ length }, (_, at) => tool(`${"ü".repeat(120)}${at}`, "漢".repeat(20_000))));
    const told = JSON.stringify(book.all());
    assert.ok(Buffer.byteLength(told) < 1024 * 1024);
    assert.equal(told.includes('"text"'), length === 1_000);
  }
  book.replace([tool("long", "x".repeat(100_000))]);
  assert.deepEqual(Object.keys(book.all()[0] ?? {}), ["name", "sha256"]);
});
