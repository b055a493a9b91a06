import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { integrityOf } from "./integrity-of.ts";

const DIST = fileURLToPath(new URL("dist", import.meta.url));

// Builds the service worker as one file without imports, at the root of the site, since it controls only the paths below it. Built after the
// page, to contain the hashes of its files.
export default defineConfig({
  clearScreen: false,
  publicDir: false,
  define: { __PAGE_PARTS__: JSON.stringify(pageParts()) },
  build: {
    target: "es2024",
    emptyOutDir: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: "src/notify/service-worker.ts",
      output: { format: "iife", entryFileNames: "sw.js" },
    },
  },
});

/** Maps the path of each file to its hash. */
function pageParts(): Record<string, string> {
  const files = readdirSync(DIST, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => relative(DIST, join(entry.parentPath, entry.name)).split(sep).join("/"));
  const parts = paths.filter((path) => path !== "sw.js").sort();
  return Object.fromEntries(
    parts.map((path) => [path === "index.html" ? "/" : `/${path}`, integrityOf(join(DIST, path))]),
  );
}
