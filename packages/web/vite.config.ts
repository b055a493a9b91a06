import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { integrityOf } from "./integrity-of.ts";

// What comes out is static files that the hub serves under its strict policy: nothing inline, no data: addresses.
export default defineConfig({
  clearScreen: false,
  build: {
    target: "es2024",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // All that the page begins with is one file: thirty small ones are slower to fetch, and zip worse.
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
 * Zod as the page can have it. No code made of text, which its policy forbids: said before the first schema is made, whichever chunk that is in.
 * And no JSON Schema, which every schema could be written as: without what refers to it, that is left out.
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

/** Another version of the library may read otherwise: then the build fails, and not the page. */
function replaceAll(code: string, changes: readonly (readonly [RegExp, string])[]): string {
  return changes.reduce((text, [pattern, instead]) => {
    const changed = text.replace(pattern, instead);
    if (changed === text) throw new Error(`zod no longer has ${pattern}`);
    return changed;
  }, code);
}

/** The page comes from its hub's own address and never goes through a gateway: the sealed channel for that is left out. */
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
 * The page's HTML says what its script and style are: whoever stood at the hub's port while it was away may have left others of the same
 * name in the browser's cache. What is loaded later is checked by the service worker.
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
