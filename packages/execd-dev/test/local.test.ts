import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type LocalExecd, startLocalExecd } from "../src/start-local-execd.ts";
import { plainIsolator } from "./plain-isolator.ts";
import { SDK_SURFACE, Surface } from "./sdk-surface.ts";

const TOKEN = "a token of the tests";

describe("the official SDK, directly", { concurrency: 8 }, () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "countersign-execd-surface-")));
  const bugs: unknown[] = [];
  let execd: LocalExecd;
  let surface: Surface;
  before(async () => {
    const isolator = plainIsolator(directory);
    execd = await startLocalExecd({ port: 0, token: TOKEN, isolator, onBug: (cause) => bugs.push(cause) });
    surface = new Surface({ url: execd.url, token: TOKEN, directory });
  });
  after(async () => {
    await surface.close();
    await execd.close();
    rmSync(directory, { recursive: true });
    assert.deepEqual(bugs, []);
  });
  for (const step of SDK_SURFACE) test(step.name, () => step.run(surface));
});
