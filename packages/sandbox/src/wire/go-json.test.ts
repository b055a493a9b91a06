import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { GoJsonError, type GoNode, readFirstValue, readOnlyValue } from "./go-json.ts";
import { decodeFirst, decodeOnly, goAboutInt, goBool, goInt, goMap, goSlice, goString, goStruct } from "./go-types.ts";

const bytes = (text: string) => Buffer.from(text);
const request = goStruct({
  command: goString,
  background: goBool,
  timeout: goInt,
  envs: goMap(goString),
  argv: goSlice(goString),
});
const command = (text: string | Buffer) => decodeFirst(request, Buffer.from(text)).command;

function plainOf(node: GoNode): unknown {
  switch (node.kind) {
    case "null":
      return null;
    case "bool":
    case "string":
      return node.value;
    case "number":
      return Number(node.text);
    case "array":
      return node.items.map(plainOf);
    case "object":
      return Object.fromEntries(node.members.map(([key, value]) => [key, plainOf(value)]));
  }
}

test("what everybody reads alike is read as JSON.parse reads it, and to its end", () => {
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false }), fc.constantFrom("", " ", "\n{}", "]", "\0", "x"), (json, rest) => {
      // Object.fromEntries has the last of a key, and JSON.parse too; `__proto__` is a key for both.
      const { node, end } = readFirstValue(bytes(json + (/[\d]$/.test(json) ? ` ${rest}` : rest)));
      assert.deepEqual(plainOf(node), JSON.parse(json));
      assert.equal(end, Buffer.byteLength(json));
    }),
  );
});

test("any bytes are a value or a GoJsonError, and what only one value may be has nothing behind it", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (noise) => {
      try {
        readOnlyValue(noise);
      } catch (error) {
        assert.ok(error instanceof GoJsonError);
      }
    }),
  );
});

test("a value that is cut anywhere is told from one that is wrong", () => {
  const whole = bytes('{"command":"a\\u00e9\\n","envs":{"A":"1"},"timeout":-12,"x":[true,null,1.5e3]}');
  for (let length = 1; length < whole.length; length++) {
    assert.throws(() => readFirstValue(whole.subarray(0, length)), { code: "CUT" });
  }
  assert.throws(() => readFirstValue(bytes(" \n\t")), { code: "EMPTY" });
});

test("the last of a name wins, whatever its case, also in letters that fold into ASCII", () => {
  for (const name of ["command", "COMMAND", "Command", "cOmMaNd"]) {
    assert.equal(command(`{"command":"first","${name}":"last"}`), "last");
    assert.equal(command(`{"${name}":"first","command":"last"}`), "last");
  }
  const folded = goStruct({ src: goString, task: goString });
  assert.deepEqual(decodeFirst(folded, bytes('{"\u017Frc":"a","tas\u212A":"b"}')), { src: "a", task: "b" });
  // Letters that only a full folding would join.
  assert.deepEqual(decodeFirst(folded, bytes('{"ßrc":"a","taßk":"b"}')), { src: "", task: "" });
});

test("null leaves a plain field as it was, and empties a map", () => {
  assert.equal(command('{"command":"stays","command":null}'), "stays");
  assert.deepEqual(decodeFirst(request, bytes('{"envs":{"A":"1"},"envs":null}')).envs, new Map());
  assert.deepEqual(decodeFirst(request, bytes('{"envs":{"A":null}}')).envs, new Map([["A", ""]]));
});

test("two objects for the same field are joined", () => {
  const { envs } = decodeFirst(request, bytes('{"envs":{"A":"1","B":"2"},"ENVS":{"b":"3","B":"4"}}'));
  assert.deepEqual([...envs], Object.entries({ A: "1", B: "4", b: "3" }));
  const nested = goStruct({ context: goStruct({ id: goString, language: goString }) });
  assert.deepEqual(decodeFirst(nested, bytes('{"context":{"language":"python"},"Context":{"ID":"7"}}')), {
    context: { id: "7", language: "python" },
  });
});

test("elements of a map are new each time, those of a slice are not", () => {
  const permissions = goMap(goStruct({ owner: goString, mode: goInt }));
  assert.deepEqual(
    [...decodeFirst(permissions, bytes('{"/a":{"mode":644},"/a":{"owner":"x"}}'))],
    [["/a", { owner: "x", mode: 0 }]],
  );
  assert.deepEqual(decodeFirst(request, bytes('{"argv":["a","b"],"argv":[null]}')).argv, ["a"]);
  assert.equal(decodeFirst(request, bytes("{}")).argv, null);
});

test("what an older list may have left behind a shorter one isn't guessed", () => {
  const argv = (...lists: string[]) =>
    decodeFirst(request, bytes(`{${lists.map((list) => `"argv":${list}`).join(",")}}`)).argv;
  assert.throws(() => argv('["sh","-c","evil"]', '["sh"]', "[null,null,null]"), { code: "MISMATCH" });
  assert.throws(() => argv('["sh"]', '["sh",null]'), { code: "MISMATCH" });
  assert.deepEqual(argv('["sh","-c","evil"]', '["sh"]', '[null,"-c","ls"]'), ["sh", "-c", "ls"]);
  assert.deepEqual(argv('["sh","-c","evil"]', "null", "[null,null]"), ["", ""]);
  assert.deepEqual(argv("[null]"), [""]);
  const moves = goStruct({ moves: goSlice(goStruct({ src: goString, dest: goString })) });
  assert.throws(() => decodeFirst(moves, bytes('{"moves":[{"src":"/a"}],"moves":[{},{"dest":"/b"}]}')), {
    code: "MISMATCH",
  });
});

test("only the first value counts, and only where Go stops there too", () => {
  assert.equal(command('{"command":"first"}{"command":"second"}'), "first");
  assert.equal(command('{"command":"first"} not JSON'), "first");
  assert.throws(() => decodeOnly(request, bytes('{"command":"first"}{}')), { code: "SYNTAX" });
  assert.equal(decodeOnly(request, bytes('{"command":"first"} \n')).command, "first");
});

test("bytes that aren't UTF-8 become U+FFFD one by one, as do halves of surrogate pairs", () => {
  const wrapped = (...inner: number[]) =>
    command(Buffer.concat([bytes('{"command":"'), Buffer.from(inner), bytes('"}')]));
  assert.equal(wrapped(0xff), "\uFFFD");
  assert.equal(wrapped(0xe2, 0x82), "\uFFFD\uFFFD");
  assert.equal(wrapped(0xed, 0xa0, 0x80), "\uFFFD\uFFFD\uFFFD");
  assert.equal(wrapped(0xf0, 0x9f, 0x98, 0x80, 0xc0), "😀\uFFFD");
  assert.equal(command('{"command":"\\ud83d\\ude00"}'), "😀");
  assert.equal(command('{"command":"\\ud83dx\\ude00"}'), "\uFFFDx\uFFFD");
  assert.equal(command('{"command":"\\ud83d\\ud83d\\ude00"}'), "\uFFFD😀");
  assert.equal(command('{"\\u0063ommand":"escaped name"}'), "escaped name");
  assert.equal(command('{"command":"\\u0000"}'), "\0");
});

test("an int64 is all that Go takes, and no more", () => {
  const about = goStruct({ timeout: goAboutInt });
  const timeout = (text: string) => decodeFirst(about, bytes(`{"timeout":${text}}`)).timeout;
  for (const text of ["0", "-0", "9007199254740993", "9223372036854775807", "-9223372036854775808"])
    assert.equal(timeout(text), Number(BigInt(text)));
  for (const text of ["9223372036854775808", "-9223372036854775809", "1e3", "1.0", `1${"0".repeat(1000)}`, '"1"'])
    assert.throws(() => timeout(text), { code: "MISMATCH" }, text);
});

test("what Go refuses is refused", () => {
  const wrong = [
    '{"command":1}',
    '{"background":"true"}',
    '{"timeout":1.0}',
    '{"timeout":1e3}',
    '{"envs":[]}',
    "[]",
    '"x"',
  ];
  for (const text of wrong) assert.throws(() => command(text), { code: "MISMATCH" }, text);
  const noJson = [
    "{'command':1}",
    '{"command":"\t"}',
    '{"command":"\\x"}',
    '{"a":01}',
    '{"a":1,}',
    "[1,]",
    "{,}",
    "\uFEFF{}",
    "nul!",
  ];
  for (const text of noJson) assert.throws(() => command(text), { code: "SYNTAX" }, text);
  assert.throws(() => command(`${"[".repeat(10_001)}`), { code: "TOO_DEEP" });
  assert.throws(() => command(`${"[".repeat(10_000)}${"]".repeat(10_000)}`), { code: "MISMATCH" });
});
