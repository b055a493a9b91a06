import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const dist = new URL("../../packages/web/dist/", import.meta.url);

/** Gzipped, in bytes: what is loaded before the first lazy part. */
export const MOST_BYTES = 60_000;

/** Each script that the page names itself, with its bytes gzipped. */
export function firstScripts(): readonly (readonly [path: string, bytes: number])[] {
  const html = readFileSync(new URL("index.html", dist), "utf8");
  const paths = [...html.matchAll(/(?:src|href)="\/([^"]+\.js)"/g)].map((match) => match[1] as string);
  return paths.map((path) => [path, gzipSync(readFileSync(new URL(path, dist))).length] as const);
}
