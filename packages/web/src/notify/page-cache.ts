const CACHE = "shell";
const PAGE = "/";

/** The page's files and their hashes at the time of the build, which inserts them. */
declare const __PAGE_PARTS__: Readonly<Record<string, string>>;
const PARTS = new Map(Object.entries(__PAGE_PARTS__));
/** The files that the page's HTML names. */
const NAMED = /(?:src|href)="(\/[^"]+)"/g;

/**
 * Answers a request for one of the page's files; undefined passes it to the network. Never caches answers of the hub. Only files with the hash
 * of the build are stored or served: another program on the hub's port can't plant any while the hub is away.
 */
export function answerFrom(request: Request, origin: string): Promise<Response> | undefined {
  const { pathname, origin: asked } = new URL(request.url);
  if (request.method !== "GET" || asked !== origin) return undefined;
  if (request.mode === "navigate") return pathname === PAGE ? newestPage() : undefined;
  return pathname !== PAGE && PARTS.has(pathname) ? keptPart(pathname) : undefined;
}

/** Stores the current page, to show it when the hub is away. */
export async function keepPage(): Promise<void> {
  await keep(await fetch(PAGE, { cache: "no-cache" }));
}

/** Returns the hub's page while the hub answers, so that a page is never older than its hub. */
async function newestPage(): Promise<Response> {
  try {
    const response = await fetch(PAGE, { cache: "no-cache" });
    // In the background: a full cache is no reason not to show the page.
    void keep(response.clone()).catch(() => undefined);
    return response;
  } catch (cause) {
    const kept = await keptAs(PAGE);
    if (kept === undefined) throw cause;
    return kept;
  }
}

async function keptPart(path: string): Promise<Response> {
  const kept = await keptAs(path);
  if (kept !== undefined) return kept;
  const response = await fetchPart(path);
  const cache = await caches.open(CACHE);
  void cache.put(path, response.clone()).catch(() => undefined);
  return response;
}

/** The browser's cache may hold another file of that name: then bypass it. */
async function fetchPart(path: string): Promise<Response> {
  const integrity = PARTS.get(path) ?? "";
  try {
    return await fetch(path, { integrity });
  } catch {
    return await fetch(path, { integrity, cache: "reload" });
  }
}

/** Returns the stored file of that name if it has the hash of the build. */
async function keptAs(path: string): Promise<Response | undefined> {
  const kept = await (await caches.open(CACHE)).match(path);
  return kept !== undefined && (await fits(kept.clone(), path)) ? kept : undefined;
}

async function fits(response: Response, path: string): Promise<boolean> {
  if (!response.ok) return false;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await response.arrayBuffer()));
  return PARTS.get(path) === `sha256-${btoa(String.fromCharCode(...digest))}`;
}

/** Stores the page and the files it names, unless it belongs to another build: the worker of that build stores it. */
async function keep(response: Response): Promise<void> {
  if (!(await fits(response.clone(), PAGE)) || (await keptAs(PAGE)) !== undefined) return;
  const cache = await caches.open(CACHE);
  const html = await response.clone().text();
  const named = [...html.matchAll(NAMED)].map(([, path = ""]) => path).filter((path) => PARTS.has(path));
  for (const path of named) await cache.put(path, await fetchPart(path));
  await cache.put(PAGE, response);
  // Deletes old files last, so that the stored page is complete at any time.
  for (const { url } of await cache.keys()) if (!PARTS.has(new URL(url).pathname)) await cache.delete(url);
}
