import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MultipartReader } from "./multipart.ts";
import { boundaryOf } from "./part-head.ts";

interface Read {
  parts: { name: string; isFile: boolean; content: string }[];
  complete: boolean;
  fault: string | null;
}

function read(body: Buffer, cuts: readonly number[] = [], boundary = "b"): Read {
  const parts: Read["parts"] = [];
  const reader = new MultipartReader(boundary, (head) => {
    const part = { ...head, content: "" };
    parts.push(part);
    return {
      data(bytes) {
        part.content += bytes.toString("latin1");
      },
      end: () => undefined,
    };
  });
  const places = [0, ...cuts.filter((cut) => cut < body.length).sort((a, b) => a - b), body.length];
  for (const [index, end] of places.slice(1).entries()) reader.push(body.subarray(places[index], end));
  reader.end();
  return { parts, complete: reader.complete, fault: reader.fault };
}

const part = (content: string, head = 'Content-Disposition: form-data; name="file"; filename="f"') =>
  `--b\r\n${head}\r\n\r\n${content}\r\n`;
const fileHead = { name: "file", isFile: true };

test("parts are what they were, however the body is cut and whatever in them looks like a delimiter", () => {
  const piece = fc.constantFrom("\r\n--b", "\r\n", "--b", "-", "--", "\r", "\n", "x", "\r\n--bb", "\r\n--", "\xff", "");
  const content = fc
    .array(piece)
    .map((pieces) => pieces.join(""))
    .filter((text) => !/(?:^|\r\n)--b(?:[ \t\r\n]|--|-?$)/.test(text));
  fc.assert(
    fc.property(fc.array(content, { minLength: 1, maxLength: 4 }), fc.array(fc.nat({ max: 300 })), (contents, cuts) => {
      const body = Buffer.from(`${contents.map((text) => part(text)).join("")}--b--\r\n`, "latin1");
      const parts = contents.map((text) => ({ ...fileHead, content: text }));
      assert.deepEqual(read(body, cuts), { parts, complete: true, fault: null });
    }),
  );
});

test("a part may be empty without a line of its own", () => {
  const body = Buffer.from(`--b\r\nContent-Disposition: form-data; name=file; filename=f\r\n\r\n--b--`);
  for (let cut = 1; cut < body.length; cut++) {
    assert.deepEqual(read(body, [cut]), { parts: [{ ...fileHead, content: "" }], complete: true, fault: null });
  }
});

test("what Go reads in a way of its own is a fault, never another content", () => {
  const odd: { readonly [what: string]: string } = {
    "text before the first part": `hello\r\n${part("x")}--b--`,
    "line feeds alone": '--b\nContent-Disposition: form-data; name="file"; filename="f"\n\nx\n--b--',
    "quoted-printable": `${part("=41", 'Content-Disposition: form-data; name="file"; filename="f"\r\nContent-Transfer-Encoding: Quoted-Printable')}--b--`,
    "an extended name": `${part("x", "Content-Disposition: form-data; name*=utf-8''file; filename=f")}--b--`,
    "a name twice": `${part("x", "Content-Disposition: form-data; name=file; name=metadata; filename=f")}--b--`,
    "two dispositions": `${part("x", "Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b")}--b--`,
    "a folded line": `${part("x", 'Content-Disposition: form-data;\r\n name="file"; filename="f"')}--b--`,
    "an escape": `${part("x", 'Content-Disposition: form-data; name="fi\\le"; filename="f"')}--b--`,
    "space after a delimiter": `--b \r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nx\r\n--b--`,
    "no end": part("x"),
    "a first line that is no last one": `--b--X\r\n${part("x")}--b--\r\n`,
    "a first line that is no last one, with spaces": `--b-- \tX\r\n${part("x")}--b--\r\n`,
    "a last line with more on it": `${part("x")}--b--X\r\n`,
    "a last line with half an end": `${part("x")}--b--\r`,
    "a last line with a line feed alone": `${part("x")}--b--\n`,
  };
  for (const [what, body] of Object.entries(odd)) {
    for (let cut = 1; cut < body.length; cut++) assert.ok(read(Buffer.from(body), [cut]).fault, what);
  }
});

test("what has no file's name is a value, and nothing follows the end", () => {
  const body = `${part("{}", 'content-disposition: Form-Data; NAME="metadata"')}--b-- \t\r\n${part("more")}`;
  for (let cut = 1; cut < body.length; cut++) {
    const { parts, complete, fault } = read(Buffer.from(body), [cut]);
    assert.deepEqual([parts, complete, fault], [[{ name: "metadata", isFile: false, content: "{}" }], true, null]);
  }
});

test("boundaries", () => {
  assert.equal(boundaryOf('multipart/form-data; boundary="a b"'), "a b");
  assert.equal(boundaryOf("Multipart/Form-Data;boundary=x; charset=utf-8"), "x");
  for (const none of [
    "application/json",
    "multipart/form-data",
    "multipart/form-data; boundary=a; boundary=b",
    "multipart/mixed; boundary=a",
  ]) {
    assert.equal(boundaryOf(none), null, none);
  }
});
