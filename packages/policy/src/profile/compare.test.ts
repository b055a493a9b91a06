import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isNarrower } from "./compare.ts";
import type { Entry } from "./profile.ts";

describe("isNarrower", () => {
  const writes: Entry["ceiling"] = { kinds: ["writes"], risk: "needs-review" };
  const rows: [entry: Entry, old: Entry, expected: boolean][] = [
    [{ pattern: "git status **" }, { pattern: "git **" }, true],
    [{ pattern: "git **" }, { pattern: "git **" }, true],
    [{ pattern: "git **" }, { pattern: "git status **" }, false],
    [{ pattern: "/tmp/git **" }, { pattern: "git **" }, false],
    [{ pattern: "npm **" }, { pattern: "git **" }, false],
    [{ pattern: "git **", directory: "/a/b" }, { pattern: "git **", directory: "/a" }, true],
    [{ pattern: "git **" }, { pattern: "git **", directory: "/a" }, false],
    [{ pattern: "git **", ceiling: writes }, { pattern: "git **" }, true],
    [{ pattern: "git **" }, { pattern: "git **", ceiling: writes }, false],
    [{ pattern: "git **", ceiling: { kinds: ["privilege"], risk: "dangerous" } }, { pattern: "git **" }, false],
    [{ pattern: "git **", expiresAtMs: 5 }, { pattern: "git **" }, true],
    [{ pattern: "git **" }, { pattern: "git **", expiresAtMs: 5 }, false],
    // When it was made is whoever keeps it to say.
    [{ pattern: "git status", atMs: 9 }, { pattern: "git **", atMs: 1 }, true],
    // The very command takes its redirects and all that it runs along.
    [{ pattern: "git status", command: "git status > /etc/x" }, { pattern: "git **" }, false],
    [{ pattern: "make", code: { "/a": "1" } }, { pattern: "make", code: { "/a": "1" } }, true],
    [{ pattern: "make" }, { pattern: "make", code: { "/a": "1" } }, false],
    [{ pattern: "git status", lend: true }, { pattern: "git **" }, false],
  ];
  for (const [entry, old, expected] of rows)
    it(`${JSON.stringify(entry)} ⊆ ${JSON.stringify(old)}: ${expected}`, () =>
      assert.equal(isNarrower(entry, old), expected));
});
