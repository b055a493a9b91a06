import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { integrityOf } from "./integrity-of.ts";

// Builds static files, which the hub serves under its strict policy: nothing inline, no data: addresses.
export default defineConfig({
  clearScreen: false,
  build: {
    target: "es2024",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Bundles the first script into one file: thirty small ones are slower to load, and compress worse.
      output: {
        codeSplitting: {
          groups: [{ name: "first", test: /\/web\/src\/main\.tsx$/, includeDependenciesRecursively: true }],
        },
      },
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [zodForPages(), withoutRelay(), withIntegrity()],
  worker: { format: "es", plugins: () => [zodForPages(), withoutRelay()] },
});

/**
 * Adapts zod for the page. It must not create code from text, which the page's policy forbids; the flag is set before any chunk makes a
 * schema. JSON Schema support is removed, since every schema refers to it.
 */
function zodForPages(): Plugin {
  return {
    name: "zod-for-pages",
    enforce: "pre",
    transform(code, id) {
      if (id.includes("zod/v4/core/core.js")) {
        return replaceAll(code, [[/__zod_globalConfig = \{\}/, "__zod_globalConfig = { jitless: true }"]]);
      }
      if (!id.includes("zod/v4/classic/schemas.js")) return undefined;
      return replaceAll(code, [
        [/^\s*inst\._zod\.processJSONSchema = .*;$/gm, ""],
        [/createStandardJSONSchemaMethod\(.*?\)/g, "undefined"],
        [/createToJSONSchemaMethod\(this, \{\}\)\(params\)/, "undefined"],
      ]);
    },
  };
}

/** Fails the build if another version of the library no longer has the text. */
function replaceAll(code: string, changes: readonly (readonly [RegExp, string])[]): string {
  return changes.reduce((text, [pattern, instead]) => {
    const changed = text.replace(pattern, instead);
    if (changed === text) throw new Error(`zod no longer has ${pattern}`);
    return changed;
  }, code);
}

/** Leaves out the sealed channel for gateways: the page connects to its own hub only. */
function withoutRelay(): Plugin {
  return {
    name: "without-relay",
    load(id) {
      if (!id.endsWith("/sdk/src/relay/relay-socket.ts")) return undefined;
      return "export function relayThrough() { throw new TypeError('The page knows no gateway'); }";
    },
  };
}

/**
 * Adds integrity hashes to the page's HTML. Another program on the hub's port could have left files of the same name in the browser's cache.
 * The service worker checks the files that are loaded later.
 */
function withIntegrity(): Plugin {
  return {
    name: "with-integrity",
    writeBundle({ dir = "" }) {
      const file = join(dir, "index.html");
      const named = readFileSync(file, "utf8").replace(/crossorigin (?:src|href)="\/([^"]+)"/g, (tag, path: string) => {
        return `${tag} integrity="${integrityOf(join(dir, path))}"`;
      });
      writeFileSync(file, named);
    },
  };
}
