import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { filterSecrets, REDACTED } from "./filter-secrets.ts";
import { knownSecrets } from "./known-secrets.ts";
import { LOOK_BACK, WINDOW } from "./rules/rule.ts";
import { RULES } from "./rules.ts";
import { SecretsStream } from "./secrets-stream.ts";

const VALUE = "our own secret/value+1";
const EXAMPLES = RULES.flatMap((rule) => [...rule.finds, ...rule.misses]).map((text) => text.replaceAll(/[«»]/g, ""));
const ANCHORS = RULES.flatMap((rule) => rule.anchors);

/** Examples, their halves, anchors, and what may stand between. */
const piece = fc.oneof(
  fc.constantFrom(...EXAMPLES),
  fc.constantFrom(...EXAMPLES).chain((text) => fc.nat(text.length).map((cut) => text.slice(cut))),
  fc.constantFrom(...EXAMPLES).chain((text) => fc.nat(text.length).map((cut) => text.slice(0, cut))),
  fc.constantFrom(...ANCHORS, VALUE, encodeURIComponent(VALUE), Buffer.from(`a:${VALUE}:b`).toString("base64")),
  fc.constantFrom("\n", " ", '"', "'", "=", ": ", "-", "\\n", "ä", "😀", "x".repeat(100), "\r\n"),
  fc.constantFrom("\x1b[31m", "\x1b[m\x1b[K", "\x1b(B", "\x1b", "\x1b[", "\x1b[1;", "\x1b]8;;", "\x1b[0m".repeat(80)),
  fc.string({ maxLength: 12 }),
);
const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

function streamed(text: string, cuts: readonly number[]): string {
  const stream = new SecretsStream();
  let told = "";
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    told += stream.push(text.slice(from, cut));
    from = Math.max(from, cut);
  }
  return told + stream.push(text.slice(from)) + stream.end();
}

test("however a text is cut, the same is told as of the whole", () => {
  knownSecrets.add(VALUE);
  fc.assert(
    fc.property(texts, fc.array(fc.nat(2_000), { maxLength: 20 }), (text, cuts) => {
      assert.equal(streamed(text, cuts), filterSecrets(text));
    }),
    { numRuns: 3_000 },
  );
  fc.assert(
    fc.property(texts, (text) => {
      const everywhere = Array.from({ length: text.length }, (_, index) => index);
      assert.equal(streamed(text, everywhere), filterSecrets(text));
    }),
    { numRuns: 300 },
  );
  knownSecrets.remove(VALUE);
});

test("colours inside of a secret don't hide it, and stay", () => {
  const token = `ghp_${"aB3d".repeat(9)}`;
  const table: [string, string][] = [
    // As grep and git write them.
    [`x=\x1b[01;31m\x1b[Kghp_\x1b[m\x1b[K${token.slice(4)} y`, `x=\x1b[01;31m\x1b[K${REDACTED}\x1b[m\x1b[K y`],
    [`\x1b[32m+${token}\x1b[m\n`, `\x1b[32m+${REDACTED}\x1b[m\n`],
    [[...token].join("\x1b(B"), REDACTED + "\x1b(B".repeat(39)],
    [`pass\x1b[1mword\x1b[0m=hun\x1b[4mter2 x`, `pass\x1b[1mword\x1b[0m=${REDACTED}\x1b[4m x`],
    ["\x1b[1mplain\x1b[0m text\x1b[", "\x1b[1mplain\x1b[0m text\x1b["],
    ["\x1b[m".repeat(1_000), "\x1b[m".repeat(1_000)],
    [`\x1b[31m_authToken=${"\x1b[0m".repeat(64)}`, `\x1b[31m_authToken=${"\x1b[0m".repeat(64)}`],
  ];
  for (const [text, expected] of table) {
    assert.equal(filterSecrets(text), expected);
    assert.equal(
      streamed(
        text,
        Array.from({ length: text.length }, (_, index) => index),
      ),
      expected,
    );
  }
  fc.assert(
    fc.property(fc.array(fc.constantFrom("\x1b[31m", "a", " ", "\x1b[", "\x1b(B", "\n")), (parts) => {
      assert.equal(filterSecrets(parts.join("")), parts.join(""));
    }),
  );
});

test("what was filtered stays as it is when it is filtered again", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const once = filterSecrets(pieces.join("\n"));
      assert.equal(filterSecrets(once), once);
    }),
    { numRuns: 2_000 },
  );
});

test("a secret of any length is dropped as it comes, and nothing of it is kept", () => {
  const stream = new SecretsStream();
  let told = stream.push("key: sk-ant-");
  for (let index = 0; index < 1_000; index += 1) told += stream.push("aB3".repeat(100));
  told += stream.push(" and\n") + stream.end();
  assert.equal(told, `key: ${REDACTED} and\n`);
});

test("a private key arrives line by line", () => {
  const stream = new SecretsStream();
  let told = "";
  for (const line of ["x\n", "-----BEGIN EC PRIVATE KEY-----\n", ...Array(200).fill(`${"aB3d".repeat(16)}\n`)]) {
    told += stream.push(line);
  }
  told += stream.push("-----END EC PRIV") + stream.push("ATE KEY-----\nafter\n");
  assert.equal(told + stream.end(), `x\n${REDACTED}\nafter\n`);
});

test("ordinary lines aren't held back, and a line with an anchor no longer than the window", () => {
  const stream = new SecretsStream();
  assert.equal(stream.push("one\ntwo\n"), "one\ntwo\n");
  assert.equal(stream.push("the password is\n"), "the password is\n");
  assert.equal(stream.push("a to"), "a ");
  assert.equal(stream.push("y and a token "), "toy and a ");
  let held = 0;
  while (stream.push("x y ") === "") held += 4;
  assert.ok(held > WINDOW / 2 && held <= WINDOW + LOOK_BACK, String(held));
});
