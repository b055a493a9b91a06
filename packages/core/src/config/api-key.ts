import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { HubError } from "../errors/index.ts";
import { knownSecrets } from "../redaction/index.ts";

const MAX_BYTES = 4_096;

/** Where a provider's key may be kept beside the environment: in the home, which no jail has. */
export function keyFileOf(keysDir: string, provider: string): string {
  return join(keysDir, `${provider}.key`);
}

/**
 * The key in the environment, else that in the file; undefined without either. From then on nothing that is told or kept holds
 * it. It is read again for each run, so that a new one needs no restart.
 */
export function readApiKey(path: string, keyEnv: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const key = (keyEnv === undefined ? undefined : env[keyEnv]?.trim()) || readKeyFile(path);
  if (key !== undefined) knownSecrets.keep(key);
  return key;
}

function readKeyFile(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new HubError("INVALID_PARAMS", `${path} can't be read (${(cause as Error).message})`, { cause });
  }
  try {
    const { mode } = fstatSync(file);
    if ((mode & 0o077) !== 0) {
      throw new HubError("INVALID_PARAMS", `${path} can be read by others, so its key isn't used: chmod 600 it`);
    }
    const buffer = Buffer.alloc(MAX_BYTES);
    const key = buffer.subarray(0, readSync(file, buffer)).toString("utf8").trim();
    if (/^[\x21-\x7e]+$/.test(key)) return key;
    throw new HubError("INVALID_PARAMS", `${path} doesn't hold a key: one line of it, and nothing else`);
  } finally {
    closeSync(file);
  }
}
