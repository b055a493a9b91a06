import { randomUUID } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CliError, homeFiles, readIfThere } from "../base/index.ts";

interface Wanted {
  /** Of a proxy that ends TLS. */
  readonly origin?: string;
  /** Of this machine, on a private network. */
  readonly lan?: string;
}

/** Writes an address into config.json, for the hub's next start. Everything else in it stays. */
export function keepAddress(homeDir: string, { origin, lan }: Wanted): string {
  const path = homeFiles(homeDir).config;
  const config = readConfig(path);
  const page = isObject(config.page) ? config.page : {};
  const origins = Array.isArray(page.origins) ? page.origins : [];
  const wanted = {
    ...page,
    ...(origin === undefined || origins.includes(origin) ? {} : { origins: [...origins, origin] }),
    ...(lan === undefined ? {} : { lan }),
  };
  const beside = join(dirname(path), `.${randomUUID()}.tmp`);
  writeFileSync(beside, `${JSON.stringify({ ...config, page: wanted }, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(beside, path);
  return path;
}

function readConfig(path: string): Record<string, unknown> {
  const text = readIfThere(path);
  if (text === undefined) return {};
  try {
    const json: unknown = JSON.parse(text);
    if (isObject(json)) return json;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw new CliError("FAILED", `${path} isn't a JSON object. Fix it first. Nothing was written.`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
