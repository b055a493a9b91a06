// Bundles hundreds of modules into a few files, which load in half the time and take less memory.
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Dependencies that aren't bundled: two have native parts, and web-push's licence (MPL) asks that its files stay separate. */
export const LEFT_OUT = ["@lydell/node-pty", "koffi", "web-push"];

const ENTRY_POINTS = /\/packages\/[a-z-]+\/src\/(?:.*\/)?(?:index|node)\.ts$/;

/**
 * Returns the files of these programs. `addressOf(path, bundleUrl)` returns JavaScript for the URL that the module at `path` takes for its own;
 * `bundleUrl` is JavaScript for the URL of the bundled file.
 */
export async function bundle({ programs, addressOf }) {
  const { output } = await build({
    ...{ root, configFile: false, logLevel: "warn", publicDir: false },
    plugins: [fileFinder(addressOf)],
    // Packages are found as Node finds them.
    ssr: { noExternal: true, external: LEFT_OUT, resolve: { conditions: ["node"] } },
    resolve: { mainFields: ["main"] },
    build: {
      ...{ ssr: true, write: false, minify: false, target: "node24" },
      rolldownOptions: {
        input: Object.fromEntries(programs.map((path) => [nameOf(path), join(root, path)])),
        // Modules keep their side effects. Our entry points have none, so a program that needs one thing of a folder doesn't load all of it.
        treeshake: { moduleSideEffects: (id) => !ENTRY_POINTS.test(id) },
        output: {
          format: "esm",
          // Modules with side effects rely on it: x509 needs reflect-metadata loaded first.
          strictExecutionOrder: true,
          keepNames: true,
          entryFileNames: "[name].js",
          chunkFileNames: "[name]-[hash].js",
        },
      },
    },
  });
  return output;
}

/** Returns `cli_src_main` for `packages/cli/src/main.ts`. */
function nameOf(path) {
  return path
    .replace(/^packages\//, "")
    .replace(/\.ts$/, "")
    .replaceAll("/", "_");
}

/**
 * Lets bundled modules find files by their own URL (hooks, the page), and bundles modules that they start as threads or processes as programs of
 * their own.
 */
function fileFinder(addressOf) {
  return {
    name: "file-finder",
    enforce: "pre",
    transform: {
      // The bundler's own modules (\0) have no path.
      filter: { code: /import\.meta/, id: { exclude: /node_modules|^\0/ } },
      handler(code, id) {
        if (code.includes("import.meta.dirname")) throw new Error(`${id}: only import.meta.url works in a bundle`);
        const started = code.replaceAll(/new URL\("(\.\/[^"]+\.ts)",\s*import\.meta\.url,?\s*\)/g, (_, name) => {
          const program = join(dirname(id), name);
          const fileName = `${nameOf(relative(root, program))}.js`;
          this.emitFile({ type: "chunk", id: program, fileName });
          return `new URL("./${fileName}", OF_THE_BUNDLE)`;
        });
        return started.replaceAll("import.meta.url", addressOf(relative(root, id), "OF_THE_BUNDLE"));
      },
    },
    // Not before: vite would make assets of what it finds by it.
    renderChunk: (code) => code.replaceAll("OF_THE_BUNDLE", "import.meta.url"),
  };
}
