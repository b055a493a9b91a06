import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { silentLog } from "@countersign/core/base";
import { serve } from "@countersign/hub";
import { openSignedIn } from "./open-page.ts";

const EVIL = "globalThis.evil = true; document.title = 'evil';";
/** As long as a browser may keep something, and under the name that the hub's own has. */
const KEEP = { "cache-control": "public, max-age=31536000, immutable", etag: '"the-hubs-own"' };

/** Whoever has the port while the hub is away: every name of the hub's page, with a script of its own. */
function squat(port: number) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://x");
    if (pathname === "/sw.js") return void response.writeHead(404).end();
    const type = pathname === "/" ? "text/html" : "text/javascript";
    response.writeHead(200, { ...KEEP, "content-type": type });
    response.end(pathname === "/" ? "<title>evil</title>" : EVIL);
  });
  return server.listen(port, "127.0.0.1");
}

/** What its page does with the browser's caches, having the hub's address. */
const POISON = async (paths: string[]) => {
  const cache = await caches.open("shell");
  const evil = "globalThis.evil = true; document.title = 'evil';";
  for (const path of paths) {
    await fetch(path).catch(() => undefined);
    const [type, body] = path === "/" ? ["text/html", "<title>evil</title>"] : ["text/javascript", evil];
    await cache.put(path, new Response(body, { headers: { "content-type": type, etag: '"the-hubs-own"' } }));
  }
};

test("whoever had the hub's port for a while leaves nothing in the browser that the hub's page would run", async (t) => {
  const opened = await openSignedIn(t, { at: "#/history" });
  if (opened === undefined) return;
  const { page, context, server } = opened;
  const port = Number(new URL(server.url).port);
  await page.getByText("● live").waitFor();
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (navigator.serviceWorker.controller) return;
    await new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
  });
  const scripts = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  const paths = scripts.map((name) => new URL(name).pathname).filter((path) => path.startsWith("/assets/"));
  assert.ok(paths.length > 2, "the first script, and what the view is made of");
  await server.close();

  const squatter = squat(port);
  t.after(() => squatter.close());
  await once(squatter, "listening");
  await page.goto(server.url);
  assert.equal(await page.title(), "evil", "while it is there, what it serves is the page");
  await page.evaluate(POISON, ["/", ...paths]);
  squatter.close();
  squatter.closeAllConnections();
  await once(squatter, "close");

  // Nobody is there: what was kept isn't the hub's, so there's nothing to show.
  await page.goto(server.url).catch(() => undefined);
  assert.notEqual(await page.title(), "evil");
  // A tab tries by itself again what it couldn't load.
  await page.close();
  const next = await context.newPage();

  const back = await serve({ homeDir: server.home.dir, cwd: server.workspace, port, log: silentLog });
  try {
    await next.goto(`${server.url}/#/history`);
    await next.getByText("● live").waitFor();
    await next.getByLabel("Search").waitFor();
    assert.equal(await next.evaluate(() => "evil" in globalThis), false);
    assert.notEqual(await next.title(), "evil");
  } finally {
    await back.close();
  }
});
