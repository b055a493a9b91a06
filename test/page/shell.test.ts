import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer } from "../../packages/hub/test/support/open-server.ts";

test("the page comes with a policy that lets nothing else in, and isn't framed", async (t) => {
  const { url } = await openServer(t);
  const response = await fetch(url);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
  const policy = (response.headers.get("content-security-policy") ?? "").split("; ").map((part) => part.split(" "));
  const { "default-src": rest, ...named } = Object.fromEntries(policy.map(([name = "", ...values]) => [name, values]));
  assert.deepEqual(rest, ["'none'"]);
  for (const [name, values] of Object.entries(named))
    if (name.endsWith("-src")) assert.deepEqual(values, ["'self'"], name);
  for (const name of ["base-uri", "form-action", "frame-ancestors"]) assert.deepEqual(named[name], ["'none'"], name);
  assert.deepEqual(named["require-trusted-types-for"], ["'script'"]);
  assert.equal(named["trusted-types"]?.length, 1);
  assert.equal(response.headers.get("set-cookie"), null);
  assert.doesNotMatch(await response.text(), /<script(?![^>]* src="\/)|<style|style=|https?:/);
  const again = await fetch(url, { headers: { "if-none-match": response.headers.get("etag") ?? "" } });
  assert.equal(again.status, 304);
  for (const path of ["/../package.json", "/assets/../../package.json", "/%2e%2e/package.json", "/src/main.tsx"]) {
    assert.notEqual((await fetch(url + path)).status, 200, path);
  }
});
