import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Place } from "./countersign.ts";

test("that a project's settings name this machine is told, unless git leaves them out of what is shared", async (t) => {
  const place = new Place(t);
  execFileSync("git", ["init", "-q", place.workspace]);
  const install = async () => {
    const { stdout, code } = await place.run("install", "claude-code", "--project");
    assert.equal(code, 0);
    return stdout;
  };
  assert.match(await install(), /keep the file out of what you share/);
  writeFileSync(join(place.workspace, ".gitignore"), "settings.local.json\n");
  assert.doesNotMatch(await install(), /what you share/);
});
