import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { compilePattern } from "./pattern.ts";

const source = fileURLToPath(new URL("..", import.meta.url));

test("a pattern without ignored case is compiled as it is", () => {
  assert.equal(compilePattern("^(a|[b-d])$").source, "^(a|[b-d])$");
});

test("ignored case is written out in its own group alone", () => {
  const pattern = compilePattern("^x(?i:a(b|\\wc)[d-f_])(?=g)");
  assert.equal(pattern.source, "^x(?:[aA]([bB]|\\w[cC])[d-fD-F_])(?=g)");
  assert.deepEqual(
    ["xABDg", "xab_g", "xaZCEg", "XABDg", "xABDG"].map((text) => pattern.test(text)),
    [...[true, true, true], ...[false, false]],
  );
});

test("every pattern of the catalogue matches what it matched with the modifier", async () => {
  const texts = new Set<string>();
  for (const file of globSync("catalog/**/*.ts", { cwd: source }).filter((name) => !name.endsWith(".test.ts")))
    collect(await import(`${source}/${file}`), texts);
  const patterns = [...texts].filter((text) => text.includes("(?i:"));
  assert.ok(patterns.length > 25, `only ${patterns.length}`);
  const words = [...texts].flatMap((text) => [text, ...text.split(" ")]);
  const inputs = [...new Set(words.flatMap((text) => [text, text.toUpperCase(), text.toLowerCase()]))];
  for (const pattern of patterns) {
    const [native, ours] = [new RegExp(pattern), compilePattern(pattern)];
    assert.ok(!ours.source.includes("(?i:"), ours.source);
    for (const input of inputs) assert.equal(ours.test(input), native.test(input), `${pattern} on ${input}`);
  }
});

test("no code uses a modifier, which Node 22 can't compile", () => {
  for (const file of globSync("**/*.ts", { cwd: source }).filter(
    (name) => !/\.test\.ts$|^model\/pattern\./.test(name),
  )) {
    const text = readFileSync(`${source}/${file}`, "utf8");
    assert.doesNotMatch(text, /\(\?(?!i:)[ims]*-?[ims]*:(?<!\(\?:)/, file);
    if (!file.startsWith("catalog/")) assert.doesNotMatch(text, /\(\?i:/, file);
  }
});

function collect(value: unknown, found: Set<string>): void {
  if (typeof value === "string") found.add(value);
  else if (value instanceof Set || value instanceof Map) collect([...value], found);
  else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) collect(part, found);
}
