// Makes a few files of hundreds of modules: they are read in half the time, and take less memory.
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Two have native parts; the last's licence (MPL) asks that its files stay apart. */
export const LEFT_OUT = ["@lydell/node-pty", "koffi", "web-push"];

const DOORS = /\/packages\/[a-z-]+\/src\/(?:.*\/)?(?:index|node)\.ts$/;

/**
 * The files of these programs. `addressOf` is JavaScript for where a module, given by its path, stands as far as it knows; it is given what stands
 * for the bundle's own address, too.
 */
export async function bundle({ programs, addressOf }) {
  const { output } = await build({
    ...{ root, configFile: false, logLevel: "warn", publicDir: false },
    plugins: [findingTheirFiles(addressOf)],
    // Packages are found as Node finds them.
    ssr: { noExternal: true, external: LEFT_OUT, resolve: { conditions: ["node"] } },
    resolve: { mainFields: ["main"] },
    build: {
      ...{ ssr: true, write: false, minify: false, target: "node24" },
      rolldownOptions: {
        input: Object.fromEntries(programs.map((path) => [nameOf(path), join(root, path)])),
        // What a module does when it is loaded, it does here too. Our doors do nothing: whoever needs one thing of a room doesn't load all of it.
        treeshake: { moduleSideEffects: (id) => !DOORS.test(id) },
        output: {
          format: "esm",
          // Modules that have effects rely on it: x509 wants what reflect-metadata has done.
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

/** `packages/cli/src/main.ts` is `cli_src_main.js` there. */
function nameOf(path) {
  return path
    .replace(/^packages\//, "")
    .replace(/\.ts$/, "")
    .replaceAll("/", "_");
}

/**
 * Files beside a module (hooks, the page) are found from where it stands. Modules that it starts as threads or processes are programs of their
 * own, and are bundled too.
 */
function findingTheirFiles(addressOf) {
  return {
    name: "finding-their-files",
    enforce: "pre",
    transform: {
      // Not in what the bundler adds (\0), which stands nowhere.
      filter: { code: /import\.meta/, id: { exclude: /node_modules|^\0/ } },
      handler(code, id) {
        if (code.includes("import.meta.dirname")) throw new Error(`${id}: a bundle knows import.meta.url alone`);
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
