import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { homeDirectory } from "./home-directory.ts";

const before = process.env.HOME;

function withHome(t: TestContext, home: string) {
  process.env.HOME = home;
  t.after(() => {
    if (before === undefined) delete process.env.HOME;
    else process.env.HOME = before;
  });
}

test("a home is where it stands itself", (t) => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "countersign-home-")));
  t.after(() => rmSync(dir, { recursive: true }));
  mkdirSync(join(dir, "disk/ann"), { recursive: true });
  symlinkSync(join(dir, "disk"), join(dir, "home"));
  withHome(t, join(dir, "home/ann/"));
  assert.equal(homeDirectory(), join(dir, "disk/ann"));
  withHome(t, join(dir, "home/bob"));
  assert.equal(homeDirectory(), join(dir, "disk/bob"));
});

for (const home of ["/", "//", "/usr/..", "", "relative"]) {
  test(`${JSON.stringify(home)} is nobody's home`, (t) => {
    withHome(t, home);
    assert.equal(homeDirectory(), "/nonexistent");
  });
}
