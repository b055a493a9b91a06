import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findSedProblem, readSed } from "./sed.ts";

const HARMLESS = [
  "p",
  "1,5p",
  "10,20p;20q",
  "$p",
  "$!d",
  "$=",
  "/BEGIN/,/END/p",
  "/kill -9/p",
  "/^#/d;/^$/d",
  "/^\\s*$/d",
  "s/foo/bar/g",
  "s/foo/bar/gI",
  "s/a/b/2gp",
  "s/a/b/ ; s/c/d/",
  "s|/usr/local|/opt|g",
  "s,a,b,;s#c#d#",
  "s/[/]/x/",
  "s/[^/]*$//",
  "s/[]/]/x/",
  "s/[^]/]/x/",
  "s/\\[[^]]*\\]//g",
  "s/\\[[^\\]]*\\]//g",
  "s/[[:space:]]*$//",
  "s/.*\\/\\([^/]*\\)$/\\1/",
  "s/\\(a\\)\\(b\\)/\\2\\1/",
  "s/x/\\n/g",
  "s/a/x\\\ny/",
  "s/e/w/",
  "s/w/e/g",
  "y/abc/xyz/",
  "y/\\//|/",
  "n;d",
  "N;P;D",
  "1!G;h;$!d",
  ":a;N;$!ba;s/\\n/ /g",
  ":a\nN\n$!ba\ns/\\n/,/g",
  ": a; s/x/y/; t a",
  "/start/,/end/{/start/n;/end/!d}",
  "/x/{p;b};d",
  "/x/{\n  s/a/b/\n  p\n}",
  "0~3d",
  "2~3p",
  "1,+3p",
  "5,~4p",
  "0,/re/s//x/",
  "/a/I,/b/Ip",
  "\\,^/usr,p",
  "\\|a\\|b|d",
  "1q5",
  "2Q",
  "l 80",
  "F;z",
  "a hello",
  "1i\\  indented",
  "1i\\\nfirst\\\nsecond",
  "$a\\\nw file",
  "2c new text; w file",
  "/x/{a foo\n}",
  "#n\np",
  "p # print; w file\nd",
  "",
  "  ",
];

const RUNS = [
  "e",
  "1e rm -rf ~",
  "1erm",
  "s/a/b/e",
  "s/a/b/ge",
  "s/a/b/ e",
  "$!e id",
  "/x/{e id\n}",
  "s/[/]/x/e",
  "a x\ne id",
];
const WRITES = [
  "w f",
  "wf",
  "1w/tmp/z",
  "W f",
  "/x/w f",
  "/x/Iw f",
  "/x/ I w f",
  "s/a/b/w f",
  "s/a/b/gw f",
  "s/a/b/ w f",
  "s/a/b/\nw f",
  "p;w f",
  "{w f\n}",
  "1!w f",
  "1,/[/]/w f",
  "\\,/,w f",
  "s/\\\\/x/w f",
  "s/[\\/]/x/w f",
  "a\\\nx\nw f",
  "a x\\\\\nw f",
  ":a;w f",
  "ba;w f",
  "# x\nw f",
  "#n\nw f",
  "a x\nw f",
  "y/a/b/;w f",
  "q5;w f",
  "l 5;w f",
];
const READS = ["r f", "1r f", "R f", "$r/etc/shadow"];
const UNCLEAR = [
  "v 4.2",
  "k",
  "s/a/b",
  "s/a",
  "s",
  "s/a/b/x",
  "s/a/b/;k",
  "sxaxbx",
  "s\\a\\b\\",
  "s[a[b[",
  "sëaëbë",
  "s/[[.a.]/]/x/",
  "s/[[:alpha:]/]/x/",
  "s/[\\]/]/x/",
  "s/[a/x/",
  "s/a\\\nb/x/",
  "s/a\nb/x/",
  "y/[a/]b/",
  "y/a/b/w f",
  "a",
  "a\\",
  "a\nw f",
  "a  \nw f",
  "a\\  \nw f",
  "a\\\n\nw f",
  "a x\\",
  "a\\\\\nw f",
  "a\\ \\\nw f",
  "ba;a\\\nw f",
  ":a;s/x/\\\nw f/",
  ":a;a x\\\nw f",
  ":a#x;w f",
  "b #x",
  "# x\\\nw f",
  "1!!p",
  "1,p",
  "1~p",
  "1,~p",
  "{p",
  "p}",
  "{p}p",
  "pp",
  "/a",
  "/a\\",
  "1,",
  "!",
  "$!",
  "}w f",
  "__proto__",
];

describe("sed scripts", () => {
  it("that only turn input into output", () => {
    for (const text of HARMLESS) assert.equal(findSedProblem(text), undefined, text);
  });

  const rows = { "runs programs": RUNS, "writes files": WRITES, "reads other files": READS };
  for (const [says, texts] of Object.entries(rows)) {
    it(`that ${says}`, () => {
      for (const text of texts) assert.equal(findSedProblem(text), `Gives sed a script that ${says}`, text);
    });
  }

  it("that can't be read", () => {
    for (const text of UNCLEAR) assert.notEqual(findSedProblem(text), undefined, text);
  });

  it("name the commands they run and the files they touch", () => {
    const { commands, writes, reads, runsInput } = readSed(
      "1e rm -rf ~\ns/a/rm -rf \\/x/ge;w f\n/x/r in\ns/a/b/w out\n$e id",
    );
    assert.deepEqual(commands, ["rm -rf ~", "rm -rf /x", "id"]);
    assert.deepEqual([writes, reads, runsInput], [["f", "out"], ["in"], false]);
    for (const text of ["e", "s/a/&/e", "s/\\(a\\)/\\1/e"]) assert.equal(readSed(text).runsInput, true, text);
  });

  it("are read to their end however they repeat", () => {
    for (const piece of ["[", "s/[", "{", "1,", "a\\\n", "/[[:", "\\", "s/a/b/ ", "g ", "[[:a:]"]) {
      assert.equal(typeof findSedProblem(`s/${piece.repeat(60_000)}`), "string");
    }
  });
});
