import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** ARCHITECTURE.md: imports go one way. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  policy: [],
  receipts: [],
  sdk: [],
  server: ["policy", "receipts", "sdk"],
  execd: ["receipts", "sdk"],
  web: ["sdk", "policy", "receipts"],
  cli: ["policy", "receipts", "sdk", "server", "execd"],
};

/** Doors beside the first: the library is for browsers, what needs Node stands apart. */
const SIDE_DOORS = ["@countersign/receipts/node"];

const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g;

function specifiersIn(file: string): string[] {
  return [...readFileSync(join(root, file), "utf8").matchAll(SPECIFIER)].map((match) => match[1] ?? "");
}

function sourcesOf(room: string): string[] {
  return globSync([`packages/${room}/src/**/*.ts`, `packages/${room}/test/**/*.ts`, `packages/${room}/src/**/*.tsx`], {
    cwd: root,
  });
}

for (const [room, allowed] of Object.entries(MAY_IMPORT)) {
  test(`${room} imports only ${allowed.join(", ") || "nothing of ours"}, and only through doors`, () => {
    const sources = sourcesOf(room);
    assert.notEqual(sources.length, 0, `packages/${room} has no source`);
    for (const file of sources) {
      for (const specifier of specifiersIn(file)) {
        const ours = /^@countersign\/([^/]+)(\/.*)?$/.exec(specifier);
        if (ours) {
          assert.ok([room, ...allowed].includes(ours[1] ?? ""), `${file} imports ${specifier}`);
          const isDoor = ours[2] === undefined || SIDE_DOORS.includes(specifier);
          assert.ok(isDoor, `${file} goes past the door: ${specifier}`);
        }
        // A relative path must not climb out of its own package.
        const climbs = specifier.startsWith(".") && !join(file, "..", specifier).startsWith(`packages/${room}/`);
        assert.ok(!climbs, `${file} reaches outside its package: ${specifier}`);
      }
    }
  });
}

test("every package is one of the seven rooms", () => {
  const rooms = globSync("packages/*", { cwd: root }).map((path) => path.split("/")[1] ?? "");
  assert.deepEqual(rooms.sort(), Object.keys(MAY_IMPORT).sort());
});

test("policy does no I/O and reads no clock or randomness", () => {
  const sources = sourcesOf("policy").filter(
    (file) => !/\.(test|deep)\.ts$|\/fixture-[^/]*$|^packages\/policy\/test\//.test(file),
  );
  for (const file of sources) {
    const text = readFileSync(join(root, file), "utf8");
    // Tables are data, and hold commands that name such things.
    if (!file.includes("/tables/"))
      assert.doesNotMatch(text, /Date\.now|new Date\(\)|Math\.random|performance\.|process\./, file);
    for (const specifier of specifiersIn(file))
      assert.doesNotMatch(specifier, /^node:/, `${file} imports ${specifier}`);
  }
});

test("files of server don't import each other in a circle, types apart", () => {
  const graph = new Map<string, string[]>();
  for (const file of sourcesOf("server")) {
    const text = readFileSync(join(root, file), "utf8").replace(/^import type[^;]*;/gm, "");
    const edges = [...text.matchAll(SPECIFIER)]
      .map((match) => match[1] ?? "")
      .filter((specifier) => specifier.startsWith("."));
    graph.set(
      file,
      edges.map((specifier) => join(file, "..", specifier)),
    );
  }
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    assert.ok(!path.includes(file), `circle: ${[...path, file].join(" → ")}`);
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
});

test("what verifies receipts shares nothing with the server, which writes them", () => {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const specifier of specifiersIn(file)) {
      assert.notEqual(specifier, "@countersign/server", `${file} imports it`);
      if (specifier.startsWith(".")) visit(join(file, "..", specifier));
    }
  };
  for (const file of ["verify.ts", "precheck-worker.ts"]) visit(`packages/cli/src/receipts/${file}`);
  assert.ok(seen.size > 15, `only ${seen.size} files`);
});

test("what stands in a sandbox takes nothing of the server or the policy with it", () => {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const specifier of specifiersIn(file)) {
      assert.doesNotMatch(specifier, /^@countersign\/(?:server|policy)/, `${file} imports it`);
      if (specifier.startsWith(".")) visit(join(file, "..", specifier));
      if (specifier === "@countersign/execd") visit("packages/execd/src/index.ts");
    }
  };
  visit("packages/cli/src/execd/proxy.ts");
  assert.ok(seen.size > 30, `only ${seen.size} files`);
});
