import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { findSedProblem } from "./sed.ts";

interface Subject {
  readonly find: (text: string) => string | undefined;
  /** Each tool that runs the text, the text itself being the last word. */
  readonly tools: readonly (readonly string[])[];
  /** Random texts are put together from these; whatever could touch a file touches `z` or one like it. */
  readonly pieces: readonly string[];
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  sed: {
    find: findSedProblem,
    tools: [
      ["sed", "-e"],
      ["sed", "--posix", "-e"],
      ["sed", "-E", "-e"],
      ["busybox", "sed", "-e"],
    ],
    pieces: [
      ..."/\\[]^$.*;{}\n#!,~+: abcdgpinstwyeIM12&|%",
      "w z",
      "w z\n",
      "e touch z",
      "s/a/b/",
      "s/",
      "[^/]",
      "[[:alpha:]",
      "a\\\n",
      "a x",
      "y/a/b/",
      "r ",
      "ba;",
      ":a",
      "\\\n",
      "1,",
      "/a/",
      "/e",
      "/w z",
    ],
  },
};

/** What the readers call harmless is run by the real tools in an empty directory, which must stay so. */
describe("texts called harmless touch nothing", () => {
  for (const [language, { find, tools, pieces }] of Object.entries(SUBJECTS)) {
    const installed = tools.filter(([name = ""]) => spawnSync(name, ["--help"]).error === undefined);
    it(language, { skip: installed.length === 0 && "no such tool here" }, (test) => {
      const directory = mkdtempSync(join(tmpdir(), "countersign-language-"));
      test.after(() => rmSync(directory, { recursive: true }));
      let ran = 0;
      const text = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 14 }).map((parts) => parts.join(""));
      const holds = (script: string) => {
        if (find(script) !== undefined) return;
        for (const [name = "", ...words] of installed) {
          ran += 1;
          spawnSync(name, [...words, script], { cwd: directory, input: "a/b\nbc\n", timeout: 2000 });
          assert.deepEqual(readdirSync(directory), [], `${[name, ...words].join(" ")} ${JSON.stringify(script)}`);
        }
      };
      fc.assert(fc.property(text, holds), { numRuns: 10_000 });
      test.diagnostic(`${ran} runs`);
      assert.ok(ran > 100);
    });
  }
});
