import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Packages, the lowest first, and what each may import. ARCHITECTURE.md says why. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  vocabulary: [],
  policy: ["vocabulary"],
  receipts: [],
  protocol: ["vocabulary"],
  native: [],
  sdk: ["protocol", "vocabulary"],
  core: ["native", "policy", "protocol", "receipts", "vocabulary"],
  store: ["core", "protocol", "receipts", "vocabulary"],
  jail: ["core", "native", "policy", "protocol", "vocabulary"],
  recorder: ["core", "native", "protocol", "receipts", "store", "vocabulary"],
  hub: ["core", "jail", "policy", "protocol", "receipts", "recorder", "sdk", "store", "vocabulary"],
  sandbox: ["native", "protocol", "receipts", "vocabulary"],
  "execd-dev": ["sandbox"],
  web: ["protocol", "receipts", "sdk", "vocabulary"],
  cli: [
    "core",
    "execd-dev",
    "hub",
    "jail",
    "policy",
    "protocol",
    "receipts",
    "recorder",
    "sandbox",
    "sdk",
    "store",
    "vocabulary",
  ],
};

/**
 * The folders of a package, the lowest first: a file imports its own folder, or the entry point (`index.ts`) of one that stands before it. What
 * stands in `src` itself is the last.
 */
const FOLDERS: Readonly<Record<string, string>> = {
  vocabulary: "",
  policy:
    "catalog/places model catalog/dangers catalog/tools catalog parse shell paths languages programs data-flow walk patterns profile classify entries decide",
  receipts: "canonical crypto format merkle merkle-check checkpoint verify proofs record",
  protocol: "text proposals records policy access hub wire describe",
  sdk: "errors relay sign gateway rpc follow",
  native: "",
  core: "base worker redaction/rules redaction errors network host/fs host config",
  store:
    "ledger contract sqlite/base sqlite/sandboxes sqlite/history sqlite/rows sqlite/ledger sqlite/reading sqlite/commit sqlite/frames sqlite/verified-copy sqlite service",
  jail: "base plan opened sensitive held process workspace idmap network seccomp resources git discard engine session bubblewrap",
  recorder: "frames remote",
  sandbox:
    "wire errors disk ca delivery relay proxy/digest proxy/http proxy/decode proxy/record proxy gate network/text network/netlink network/rules network/conntrack network/packets network",
  "execd-dev": "http places processes files commands pty sessions code isolated",
  cli: "base hub-errors terminal show connect witness hub-calls offline proxies agents acp mcp/proxy mcp doctor service policy explain receipts/sources receipts/witness receipts coverage report watch/model execd pair watch chat demo commands/serving commands programs",
  web: "text hub navigation ui proposals notify runs history policy approval inbox chat today receipts/worker receipts/base receipts/chains receipts/sandboxes receipts/verify receipts connect sign-in shell",
  hub: "events identity policies proposals record permits answers approvals runs pipeline history/account history/report history/review history hub offline agent/tools agent/files agent/facade agent/models agent/providers agent notifications/channels notifications/push notifications listen api api/http api/routes api/hooks/calls api/hooks/dialects api/hooks/equivalents api/hooks api/ws api/mcp api/serve gateway",
};

/** Entry points beside the first: the library is for browsers, what needs Node stands apart. */
const SIDE_ENTRIES: Readonly<Record<string, string>> = {
  "@countersign/receipts/node": "packages/receipts/src/node.ts",
};

/** Packages with an entry point for each folder: a program that needs one thing of them doesn't load all. */
const BY_FOLDER = ["core", "protocol"];

/** Files of a folder that import each other in a circle. This list only gets shorter. */
const CIRCLES: readonly string[] = ["sandbox/src/proxy/record: call tell-call tell-pty"];

const MOST_FILES = 20;

interface Import {
  readonly from: string;
  /** Loaded when it is needed: by its own name, since an entry point would load all of its folder. */
  readonly later: boolean;
  readonly specifier: string;
  /** The file that is meant, where it is one of the package's own. */
  readonly to: string | undefined;
}

function sourcesOf(name: string): string[] {
  return globSync(`packages/${name}/src/**/*.{ts,tsx}`, { cwd: root }).filter((file) => !isTest(file));
}

function isTest(file: string): boolean {
  return /\.(test|deep)\.tsx?$/.test(file);
}

/** What a file imports or exports from elsewhere, types included, also with `import()`. */
function importsOf(file: string): Import[] {
  const { module, errors } = parseSync(file, readFileSync(join(root, file), "utf8"));
  assert.deepEqual(errors, [], file);
  const text = readFileSync(join(root, file), "utf8");
  const now = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.flatMap((entry) => entry.moduleRequest?.value ?? [])),
  ];
  const later = module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const written = text.slice(start, end);
    return /^"[^"]*"$/.test(written) ? [written.slice(1, -1)] : [];
  });
  return [...[...new Set(now)].map((one) => [one, false] as const), ...later.map((one) => [one, true] as const)].map(
    ([specifier, isLater]) => ({
      ...{ from: file, specifier, later: isLater },
      to: specifier.startsWith(".") ? join(dirname(file), specifier) : undefined,
    }),
  );
}

const graph = new Map(
  Object.keys(PACKAGES).map((name) => [name, sourcesOf(name).map((file) => [file, importsOf(file)] as const)]),
);
const filesOf = (name: string) => graph.get(name) ?? [];

test("every package has its place", () => {
  const packages = globSync("packages/*/package.json", { cwd: root }).map((path) => path.split("/")[1] ?? "");
  assert.deepEqual(packages.sort(), Object.keys(PACKAGES).sort());
  for (const name of packages) assert.ok(filesOf(name).length > 0, name);
});

for (const [name, allowed] of Object.entries(PACKAGES)) {
  test(`${name} imports only ${allowed.join(", ") || "nothing of ours"}, and says so`, () => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, `packages/${name}/package.json`), "utf8"));
    const used = new Set<string>();
    for (const [file, imports] of filesOf(name)) {
      for (const { specifier, to } of imports) {
        if (to !== undefined) assert.ok(to.startsWith(`packages/${name}/`), `${file} reaches outside: ${specifier}`);
        const [, ours, beyond] = /^@countersign\/([^/]+)(\/.*)?$/.exec(specifier) ?? [];
        if (ours === undefined) continue;
        used.add(ours);
        assert.ok(allowed.includes(ours), `${file} imports ${specifier}`);
        const isEntry = isEntryOf(ours, beyond, specifier);
        assert.ok(isEntry, `${file} goes past the entry point: ${specifier}`);
      }
    }
    const said = Object.keys(dependencies).filter((dependency) => dependency.startsWith("@countersign/"));
    assert.deepEqual(said.sort(), [...used].map((other) => `@countersign/${other}`).sort());
  });
}

for (const [name, listed] of Object.entries(FOLDERS)) {
  const order = listed.split(" ").filter(Boolean);
  const folderOf = (file: string) => dirname(file).slice(`packages/${name}/src`.length + 1);
  const placeOf = (file: string) => (folderOf(file) === "" ? order.length : order.indexOf(folderOf(file)));

  test(`in ${name} each folder imports only those before it, by their entry points`, () => {
    for (const [file, imports] of filesOf(name)) {
      const isEntry = Object.values(SIDE_ENTRIES).includes(file);
      assert.notEqual(placeOf(file), -1, `${file}: its folder has no place`);
      for (const { specifier, to, later } of imports) {
        if (to === undefined || folderOf(to) === folderOf(file)) continue;
        assert.ok(placeOf(to) < placeOf(file), `${file} imports upwards: ${specifier}`);
        assert.ok(later || isEntry || to.endsWith("/index.ts"), `${file} goes past the entry point: ${specifier}`);
      }
    }
  });
}

test("every package's folders have an order", () => {
  assert.deepEqual(Object.keys(FOLDERS).sort(), Object.keys(PACKAGES).sort());
});

test(`no folder has more than ${MOST_FILES} files`, () => {
  const counts = new Map<string, number>();
  for (const name of Object.keys(PACKAGES))
    for (const [file] of filesOf(name))
      if (!/\/index\.ts$|\/catalog\//.test(file)) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  const full = [...counts].filter(([, count]) => count > MOST_FILES);
  assert.deepEqual(Object.fromEntries(full), {});
});

/** The groups of files that reach each other (Tarjan). */
function circlesIn(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const [order, lowest, open] = [new Map<string, number>(), new Map<string, number>(), [] as string[]];
  const found: string[][] = [];
  const visit = (file: string): number => {
    const number = order.size;
    order.set(file, number);
    lowest.set(file, number);
    open.push(file);
    for (const next of edges.get(file) ?? []) {
      const reached = order.has(next) ? (open.includes(next) ? (order.get(next) ?? 0) : number) : visit(next);
      lowest.set(file, Math.min(lowest.get(file) ?? 0, reached));
    }
    if (lowest.get(file) === number) {
      const group = open.splice(open.indexOf(file));
      if (group.length > 1) found.push(group.sort());
    }
    return lowest.get(file) ?? number;
  };
  for (const file of edges.keys()) if (!order.has(file)) visit(file);
  return found;
}

test("files don't import each other in a circle", () => {
  const found = Object.keys(FOLDERS).flatMap((name) => {
    const edges = new Map(filesOf(name).map(([file, imports]) => [file, imports.flatMap(({ to }) => to ?? [])]));
    return circlesIn(edges).map((group) => {
      const names = group.map((file) => basename(file, ".ts")).join(" ");
      return `${dirname(group[0] ?? "").replace("packages/", "")}: ${names}`;
    });
  });
  assert.deepEqual(found.sort(), [...CIRCLES].sort());
});

test("system calls are made in native alone", () => {
  for (const name of Object.keys(PACKAGES).filter((one) => one !== "native"))
    for (const [file] of filesOf(name)) assert.doesNotMatch(readFileSync(join(root, file), "utf8"), /"koffi"/, file);
});

test("policy does no I/O and reads no clock or randomness", () => {
  for (const [file, imports] of filesOf("policy")) {
    const text = readFileSync(join(root, file), "utf8");
    // Tables are data, and hold commands that name such things.
    if (!file.includes("/catalog/"))
      assert.doesNotMatch(text, /Date\.now|new Date\(\)|Math\.random|performance\.|process\./, file);
    for (const { specifier } of imports) assert.doesNotMatch(specifier, /^node:/, `${file} imports ${specifier}`);
  }
});

/** A package's own list, or that of one of its folders where the package has one for each. */
function isEntryOf(name: string, beyond: string | undefined, specifier: string): boolean {
  if (BY_FOLDER.includes(name) && beyond !== undefined)
    return (FOLDERS[name] ?? "").split(" ").includes(beyond.slice(1));
  return beyond === undefined ? name !== "core" : SIDE_ENTRIES[specifier] !== undefined;
}

/** All files that these load, of their own package and of `through`. */
function loadedBy(
  entries: readonly string[],
  through: Readonly<Record<string, string>>,
  check: (one: Import) => void,
): Set<string> {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const one of importsOf(file)) {
      check(one);
      const next = one.to ?? through[one.specifier];
      if (next !== undefined) visit(next);
    }
  };
  for (const entry of entries) visit(entry);
  return seen;
}

const WRITERS = /^@countersign\/(?:core|native|store|jail|recorder|hub)(?:\/|$)/;
/** The same, without the system calls. */
const HUBS_OWN = /^@countersign\/(?:core|store|jail|recorder|hub)(?:\/|$)/;

test("what verifies receipts shares nothing with what writes them", () => {
  const entries = ["verify.ts", "precheck-worker.ts"].map((name) => `packages/cli/src/receipts/${name}`);
  const seen = loadedBy(entries, {}, ({ from, specifier }) =>
    assert.doesNotMatch(specifier, WRITERS, `${from} imports it`),
  );
  assert.ok(seen.size > 15, `only ${seen.size} files`);
});

test("what stands in a sandbox takes nothing of the hub or the policy with it", () => {
  const through = { "@countersign/sandbox": "packages/sandbox/src/start.ts" };
  const seen = loadedBy(["packages/cli/src/execd/proxy.ts"], through, ({ from, specifier }) => {
    assert.doesNotMatch(specifier, HUBS_OWN, `${from} imports it`);
    assert.notEqual(specifier, "@countersign/policy", `${from} imports it`);
  });
  assert.ok(seen.size > 30, `only ${seen.size} files`);
});
