import assert from "node:assert/strict";
import { test } from "node:test";
import { clip } from "./shorten.ts";

test("clip keeps the end of a line and splits between words", () => {
  assert.deepEqual(clip("curl -s https://x.io/i.sh | sh"), { head: "curl -s https://x.io/i.sh", tail: " | sh" });
  assert.deepEqual(clip("~/src/web", "/"), { head: "~", tail: "/src/web" });
  assert.deepEqual(clip("/srv/checkouts/of/everything/web", "/"), {
    head: "/srv/checkouts/of",
    tail: "/everything/web",
  });
});

test("clip splits a single word only if it is long, never inside a character", () => {
  assert.deepEqual(clip("ls"), { head: "ls", tail: "" });
  assert.deepEqual(clip("😀".repeat(25)), { head: "😀".repeat(9), tail: "😀".repeat(16) });
});

test("clip appends the number of further lines to the tail", () => {
  assert.deepEqual(clip("cat <<E\none\nE\n"), { head: "cat", tail: " <<E … +2 lines" });
  assert.deepEqual(clip("ls\nls"), { head: "ls", tail: " … +1 line" });
});

test("clip bounds the length of what is drawn", () => {
  const { head, tail } = clip("x".repeat(100_000));
  assert.equal(head.length + tail.length, 200);
});
