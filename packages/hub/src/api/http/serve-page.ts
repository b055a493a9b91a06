import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Context, Hono } from "hono";
import type { HttpVariables } from "./guard.ts";

interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
  readonly isHashed: boolean;
  zipped?: Promise<Uint8Array<ArrayBuffer>>;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};
const IS_TEXT = /^text\/|svg|json/;

/**
 * Allows nothing inline, nothing from other origins, no text that becomes markup or a script's address, and no frames.
 * An agent's text stays text even if the page fails to treat it so.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types countersign",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

const NOT_BUILT = "The page isn't built. In the repository: npm run build -w @countersign/web\n";

/**
 * Serves the built page. Its files are read at the start and served by exact path, so no request's path reaches the
 * disk.
 */
export function servePage(app: Hono<HttpVariables>, directory: string): void {
  const files = readPage(directory);
  app.get("/", async (c) => {
    const page = files.get("/index.html");
    return page === undefined ? c.text(NOT_BUILT, 503, HEADERS) : await sendFile(c, page);
  });
  for (const [path, file] of files) app.get(path, async (c) => await sendFile(c, file));
}

function readPage(directory: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const path of listFiles(directory)) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    const bytes = new Uint8Array(readFileSync(join(directory, path)));
    const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
    files.set(`/${path}`, { bytes, type, etag, isHashed: path.startsWith("assets/") });
  }
  return files;
}

function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join("/"));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw cause;
  }
}

async function sendFile(c: Context, file: PageFile): Promise<Response> {
  const headers: Record<string, string> = {
    ...HEADERS,
    etag: file.etag,
    // Hashed names change with the content; other files are revalidated each time.
    "cache-control": file.isHashed ? "public, max-age=31536000, immutable" : "no-cache",
    vary: "accept-encoding",
  };
  if (c.req.header("if-none-match") === file.etag) return c.body(null, 304, headers);
  headers["content-type"] = file.type;
  const zips = IS_TEXT.test(file.type) && /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
  if (!zips) return c.body(file.bytes, 200, headers);
  file.zipped ??= zip(file.bytes);
  return c.body(await file.zipped, 200, { ...headers, "content-encoding": "gzip" });
}

const zipBytes = promisify(gzip);

async function zip(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await zipBytes(bytes));
}
