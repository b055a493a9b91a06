const CACHE = "shell";
const PAGE = "/";

/** The page's files and what each is, as they were when this worker was built with them. Put in by the build. */
declare const __PAGE_PARTS__: Readonly<Record<string, string>>;
const PARTS = new Map(Object.entries(__PAGE_PARTS__));
/** What the page's HTML names. */
const NAMED = /(?:src|href)="(\/[^"]+)"/g;

/**
 * How a request is answered here; undefined: as if nobody stood between. Of the page's files, never of the hub's answers. What is kept or
 * given from what was kept is what the build made: who listens at the hub's port while the hub is away leaves nothing behind here.
 */
export function answerFrom(request: Request, origin: string): Promise<Response> | undefined {
  const { pathname, origin: asked } = new URL(request.url);
  if (request.method !== "GET" || asked !== origin) return undefined;
  if (request.mode === "navigate") return pathname === PAGE ? newestPage() : undefined;
  return pathname !== PAGE && PARTS.has(pathname) ? keptPart(pathname) : undefined;
}

/** Keeps the page as it is now, so that there's something to show when the hub is away. */
export async function keepPage(): Promise<void> {
  await keep(await fetch(PAGE, { cache: "no-cache" }));
}

/** The hub's, as long as it answers: a page is never older than its hub. */
async function newestPage(): Promise<Response> {
  try {
    const response = await fetch(PAGE, { cache: "no-cache" });
    // Beside it: that there's no room to keep it is no reason not to show it.
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

/** The browser's own cache may hold another of that name: then it is asked for anew. */
async function fetchPart(path: string): Promise<Response> {
  const integrity = PARTS.get(path) ?? "";
  try {
    return await fetch(path, { integrity });
  } catch {
    return await fetch(path, { integrity, cache: "reload" });
  }
}

/** What is kept of that name, if it is what the build made. */
async function keptAs(path: string): Promise<Response | undefined> {
  const kept = await (await caches.open(CACHE)).match(path);
  return kept !== undefined && (await fits(kept.clone(), path)) ? kept : undefined;
}

async function fits(response: Response, path: string): Promise<boolean> {
  if (!response.ok) return false;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await response.arrayBuffer()));
  return PARTS.get(path) === `sha256-${btoa(String.fromCharCode(...digest))}`;
}

/** The page and what it names, unless it is another than this worker came with: its own worker keeps that one. */
async function keep(response: Response): Promise<void> {
  if (!(await fits(response.clone(), PAGE)) || (await keptAs(PAGE)) !== undefined) return;
  const cache = await caches.open(CACHE);
  const html = await response.clone().text();
  const named = [...html.matchAll(NAMED)].map(([, path = ""]) => path).filter((path) => PARTS.has(path));
  for (const path of named) await cache.put(path, await fetchPart(path));
  await cache.put(PAGE, response);
  // Last: until then what was kept before is whole.
  for (const { url } of await cache.keys()) if (!PARTS.has(new URL(url).pathname)) await cache.delete(url);
}
