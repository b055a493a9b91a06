import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { type Packed, root } from "./packed.ts";

type Version = Readonly<Record<string, unknown>>;

/** Packages for other machines, as the lock file describes them: npm reads what they are for and doesn't load them. */
function packagesOfLock(): Map<string, Version> {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { name?: string; version?: string }>;
  };
  return new Map(
    Object.entries(packages).flatMap(([path, locked]) => {
      const [, installedAs = ""] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
      const name = locked.name ?? installedAs;
      return installedAs === "" || !locked.version ? [] : [[name, { ...locked, name }] as const];
    }),
  );
}

/** Serves packed packages as npm's registry would, on a port of this machine. Returns its address and what closes it. */
export async function startRegistry(packed: readonly Packed[]): Promise<{ url: string; close: () => void }> {
  const locked = packagesOfLock();
  const tarballs = new Map(packed.map(({ tarball }) => [basename(tarball), tarball]));
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? "/").slice(1).split("?")[0] ?? "");
    const tarball = tarballs.get(basename(path));
    if (path.startsWith("tarballs/") && tarball) {
      response.end(readFileSync(tarball));
      return;
    }
    const found = packed.find(({ manifest }) => manifest.name === path);
    const version = found ? describe(found) : locked.get(path);
    if (!version) {
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
      return;
    }
    const number = String(version.version);
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        name: path,
        "dist-tags": { latest: number },
        versions: { [number]: { dist: distOf(), ...version } },
      }),
    );
  });

  function describe({ manifest, tarball }: Packed): Version {
    return { ...manifest, dist: distOf(tarball) };
  }

  function distOf(tarball?: string) {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/tarballs/${basename(tarball ?? "missing.tgz")}`;
    if (!tarball) return { tarball: url };
    const integrity = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
    return { tarball: url, integrity };
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}
