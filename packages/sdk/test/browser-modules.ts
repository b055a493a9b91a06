import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const folders = {
  sdk: fileURLToPath(new URL("../src", import.meta.url)),
  protocol: fileURLToPath(new URL("../../protocol/src", import.meta.url)),
  vocabulary: fileURLToPath(new URL("../../vocabulary/src", import.meta.url)),
  zod: dirname(fileURLToPath(import.meta.resolve("zod"))),
};

/** Each folder of the protocol has an entry point of its own. */
const entries = globSync("*/index.ts", { cwd: folders.protocol }).map((file) => [
  `@countersign/protocol/${dirname(file)}`,
  `/protocol/${file}`,
]);
const imports = {
  ...Object.fromEntries(entries),
  "@countersign/protocol": "/protocol/index.ts",
  "@countersign/sdk": "/sdk/index.ts",
  "@countersign/vocabulary": "/vocabulary/index.ts",
  zod: "/zod/index.js",
};

const PAGE = `<!doctype html><meta charset="utf-8"><title>guide</title><link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module" src="/guide.js"></script>`;

/** A page that runs `script` with the SDK as it is in `src`: real ES modules, only their types taken away. */
export function serveModules(script: () => string) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    load(request.url ?? "/", script).then(
      (body) => {
        response.setHeader("content-type", body === PAGE ? "text/html" : "text/javascript");
        response.end(body);
      },
      (error) => response.writeHead(404).end(String(error)),
    );
  };
}

async function load(url: string, script: () => string): Promise<string> {
  if (url === "/") return PAGE;
  if (url === "/guide.js") return stripTypeScriptTypes(script());
  const [, folder, file] = /^\/(sdk|protocol|vocabulary|zod)(\/[\w./-]+)$/.exec(url) ?? [];
  if (file === undefined || normalize(file) !== file) throw new Error(`No ${url}`);
  const source = await readFile(join(folders[folder as keyof typeof folders], file), "utf8");
  return file.endsWith(".ts") ? stripTypeScriptTypes(source) : source;
}
