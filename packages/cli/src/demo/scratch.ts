import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A small project to work in and a home for the hub, both gone afterwards. */
export interface Scratch {
  readonly project: string;
  readonly home: string;
  remove(): void;
}

export function makeScratch(): Scratch {
  // Short names: the path of the home's unix socket has about 100 characters at the most.
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "cs-demo-")));
  const project = join(dir, "project");
  mkdirSync(join(project, "build"), { recursive: true });
  writeFileSync(join(project, "build", "app.js"), "// built\n");
  writeFileSync(join(project, "notes.txt"), "next: write the release notes\n");
  const tests = join(project, "run-tests.sh");
  writeFileSync(tests, "#!/bin/sh\necho '3 tests, 3 passed'\n");
  chmodSync(tests, 0o755);
  return { project, home: join(dir, "home"), remove: () => rmSync(dir, { recursive: true, force: true }) };
}
