import { createHash, createPrivateKey, generateKeyPairSync } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type DeviceKey, importDeviceKey } from "@countersign/sdk";
import { uuidv7 } from "uuidv7";
import { CliError, readIfThere } from "../base/index.ts";

/** The key of this home's terminal, and what a hub knows it as. */
export interface CliDevice {
  readonly key: DeviceKey;
  readonly deviceId: string;
}

interface KnownDevice {
  readonly token: string;
  readonly deviceId: string;
}

/** Tokens that one home has used; the oldest is forgotten, and would get a new device. */
const MAX_DEVICES = 100;

export function deviceFiles(homeDir: string): { key: string; devices: string } {
  return { key: join(homeDir, "keys", "device.key"), devices: join(homeDir, "keys", "device.json") };
}

/** The home's key, made at its first use; undefined where there's none and none may be made. */
export async function openDevice(
  homeDir: string,
  { token, make }: { token: string; make: boolean },
): Promise<CliDevice | undefined> {
  const files = deviceFiles(homeDir);
  const pem = readIfThere(files.key) ?? (make ? makeKey(files.key) : undefined);
  if (pem === undefined) return undefined;
  refuseOpenToOthers(files.key);
  return { key: await readKey(files.key, pem), deviceId: deviceIdFor(files.devices, token) };
}

/** What a hub knows this home's terminal as, with or without a key; undefined where the home has no place to remember it. */
export function deviceIdOf(homeDir: string, token: string): string | undefined {
  const { devices } = deviceFiles(homeDir);
  return existsSync(dirname(devices)) ? deviceIdFor(devices, token) : undefined;
}

/** Of several that make it at once one wins, and all use that one: a link, unlike a rename, never replaces. */
function makeKey(path: string): string {
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const beside = join(dirname(path), `.${uuidv7()}.tmp`);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(beside, pem, { mode: 0o600, flag: "wx", flush: true });
    linkSync(beside, path);
    return pem;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "EEXIST") return readFileSync(path, "utf8");
    throw new CliError("FAILED", `The device key ${path}, which signs decisions, can't be made (${message}).`, {
      cause,
    });
  } finally {
    rmSync(beside, { force: true });
  }
}

async function readKey(path: string, pem: string): Promise<DeviceKey> {
  try {
    const der = createPrivateKey(pem).export({ type: "pkcs8", format: "der" });
    return await importDeviceKey(new Uint8Array(der));
  } catch (cause) {
    const advice = "Remove it, and a new one is made at the next decision";
    throw new CliError("FAILED", `${path} isn't an Ed25519 key in PKCS #8. ${advice}.`, { cause });
  }
}

function refuseOpenToOthers(path: string): void {
  if ((statSync(path).mode & 0o077) === 0) return;
  throw new CliError("FAILED", `${path} can be read by other users, so it proves nothing. Run: chmod 600 ${path}`);
}

/** To a hub a device belongs to one token. Which one is told apart by a hash, so that the file holds no token. */
function deviceIdFor(path: string, token: string): string {
  const hash = createHash("sha256").update(token).digest("hex").slice(0, 16);
  const known = readDevices(path);
  const found = known.find((device) => device.token === hash);
  if (found) return found.deviceId;
  const made = { token: hash, deviceId: uuidv7() };
  const beside = join(dirname(path), `.${uuidv7()}.tmp`);
  writeFileSync(beside, `${JSON.stringify({ devices: [...known, made].slice(-MAX_DEVICES) })}\n`, { mode: 0o600 });
  chmodSync(beside, 0o600);
  renameSync(beside, path);
  return made.deviceId;
}

function readDevices(path: string): readonly KnownDevice[] {
  const text = readIfThere(path);
  if (text === undefined) return [];
  const { devices } = parseIfJson(text) as { devices?: unknown };
  if (Array.isArray(devices) && devices.every(isKnownDevice)) return devices;
  throw new CliError("FAILED", `${path} isn't a file of Countersign's. Remove it; Countersign will create it again.`);
}

function parseIfJson(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch (cause) {
    if (cause instanceof SyntaxError) return {};
    throw cause;
  }
}

function isKnownDevice(value: unknown): value is KnownDevice {
  const { token, deviceId } = Object(value) as Partial<Record<keyof KnownDevice, unknown>>;
  return typeof token === "string" && typeof deviceId === "string";
}
