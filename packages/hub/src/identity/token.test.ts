import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { prepareHome } from "@countersign/core/config";
import { tempDirectory } from "../../../store/test/temp-store.ts";
import { bootstrapToken } from "./token.ts";

test("a token is made once, kept for its owner, and stays the same", async (t) => {
  const home = prepareHome(join(tempDirectory(t), "home"));
  const token = await bootstrapToken(home, undefined);
  assert.match(token, /^cs_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual([readFileSync(home.token, "utf8"), statSync(home.token).mode & 0o777], [`${token}\n`, 0o600]);
  chmodSync(home.token, 0o644);
  assert.equal(await bootstrapToken(home, ""), token);
  assert.equal(statSync(home.token).mode & 0o777, 0o600);
  assert.equal(await bootstrapToken(home, "given-by-environment"), "given-by-environment");
  assert.equal(readFileSync(home.token, "utf8"), `${token}\n`);
});

test("a given token isn't written down", async (t) => {
  const home = prepareHome(join(tempDirectory(t), "home"));
  assert.equal(await bootstrapToken(home, "given-by-environment"), "given-by-environment");
  assert.ok(!existsSync(home.token));
});

test("a token that can't be one is refused, with where it is", async (t) => {
  const home = prepareHome(join(tempDirectory(t), "home"));
  for (const given of ["short", "with space in it", "ünicode-token", "x".repeat(513), "line\nbreak-token"]) {
    await assert.rejects(bootstrapToken(home, given), { code: "TOKEN_INVALID", message: /COUNTERSIGN_TOKEN/ }, given);
  }
  writeFileSync(home.token, "\n");
  await assert.rejects(bootstrapToken(home, undefined), { code: "TOKEN_INVALID", message: /keys\/token/ });
});
