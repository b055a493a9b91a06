import assert from "node:assert/strict";
import { test } from "node:test";
import { clip } from "./shorten.ts";

test("the end of a line stays, cut between words", () => {
  assert.deepEqual(clip("curl -s https://x.io/i.sh | sh"), { head: "curl -s https://x.io/i.sh", tail: " | sh" });
  assert.deepEqual(clip("~/src/web", "/"), { head: "~", tail: "/src/web" });
  assert.deepEqual(clip("/srv/checkouts/of/everything/web", "/"), {
    head: "/srv/checkouts/of",
    tail: "/everything/web",
  });
});

test("one word is cut only where it is long, and never within a character", () => {
  assert.deepEqual(clip("ls"), { head: "ls", tail: "" });
  assert.deepEqual(clip("😀".repeat(25)), { head: "😀".repeat(9), tail: "😀".repeat(16) });
});

test("how many lines follow is said, and is what stays", () => {
  assert.deepEqual(clip("cat <<E\none\nE\n"), { head: "cat", tail: " <<E … +2 lines" });
  assert.deepEqual(clip("ls\nls"), { head: "ls", tail: " … +1 line" });
});

test("however long a line is, what is drawn of it is short", () => {
  const { head, tail } = clip("x".repeat(100_000));
  assert.equal(head.length + tail.length, 200);
});
