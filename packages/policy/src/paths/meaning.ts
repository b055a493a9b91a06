import {
  ABOVE_SECRETS,
  BLOCK_DEVICES,
  HARMLESS_DEVICES,
  KEPT,
  MOUNTS,
  NOT_PRIVATE,
  NOT_SYSTEM,
  type PathRule,
  PRECIOUS,
  PRIVATE,
  PROJECT_SECRETS,
  PUBLIC,
  SECRETS,
  SPELLED_SECRETS,
  STARTS_CODE,
  SYSTEM,
} from "../catalog/index.ts";
import { ARMS } from "../catalog/places/index.ts";
import { isInside, type Machine, WILD } from "../model/index.ts";
import { compilePathRules, type Glob, matchesPath, matchGlob, namesOf, rulesOf } from "./match.ts";

const secrets = compilePathRules(SECRETS);
const allSecrets = compilePathRules([...SECRETS, ...PROJECT_SECRETS]);
const startsCode = compilePathRules(STARTS_CODE);
const arms = ARMS.map(({ arms: who, paths }) => ({ who, rules: compilePathRules(rulesOf(paths)) }));
const armsAny = compilePathRules(ARMS.flatMap(({ paths }) => rulesOf(paths)));
const system = compilePathRules(SYSTEM);
const notSystem = compilePathRules(NOT_SYSTEM);
const kept = compilePathRules(KEPT);
const blockDevices = compilePathRules(BLOCK_DEVICES);
const publicPlaces = compilePathRules(PUBLIC);
const privatePlaces = compilePathRules(PRIVATE);
const notPrivate = compilePathRules(NOT_PRIVATE);

export function isSecret(path: string, machine: Machine): boolean {
  const names = namesOf(plain(path));
  if (matchesPath(allSecrets, names, machine.home)) return true;
  // `/proc/$x/environ` is a secret, for every value of x.
  return path.includes(WILD) && matchesPath(secrets, namesOf(path.replaceAll(WILD, "0")), machine.home);
}

/** Reports whether a glob spells a secret's name with gaps (`/etc/s?adow`), instead of matching everything. */
export function spellsSecret(path: string, { home }: Machine): boolean {
  if (!path.includes(WILD)) return false;
  const components = path.split("/").filter((one) => one.includes(WILD));
  if (components.some((one) => one.replaceAll(WILD, "").replace(/^\./, "").length < 2)) return false;
  const pieces = path.split(WILD);
  return SPELLED_SECRETS.some((one) => matchGlob(pieces, one.replace(/^~/, home)));
}

/** Reports whether it is a secret outside any repository, which no work needs. */
export function isPersonalSecret(path: string, machine: Machine): boolean {
  return matchesPath(secrets, namesOf(plain(path)), machine.home);
}

/** Reports whether a directory contains credentials at any depth: the root, homes and similar directories. */
export function isAboveSecrets(path: string, { home }: Machine): boolean {
  const within = isInside(path, home) ? path.slice(home.length) : undefined;
  if (within !== undefined && ["/.config", "/.local", "/.local/share", "/Library"].includes(within)) return true;
  return ABOVE_SECRETS.includes(path) || path === home || isInside(home, path) || /^\/(home|Users)\/[^/]+$/.test(path);
}

/** Compares the plain name: `link/../dev/null` may be another file. */
export function isHarmlessDevice(word: string | null): boolean {
  return word !== null && HARMLESS_DEVICES.includes(word);
}

export function isBlockDevice(path: string, machine: Machine): boolean {
  return matchesPath(blockDevices, namesOf(plain(path)), machine.home);
}

export function meaningOfWriting(
  path: string,
  machine: Machine,
): "socket" | "block-device" | "starts-code" | "system" | "arms" | undefined {
  const at = plain(path);
  if (isSocket(at)) return "socket";
  const names = namesOf(at);
  if (matchesPath(blockDevices, names, machine.home)) return "block-device";
  if (matchesPath(startsCode, names, machine.home)) return "starts-code";
  if (isSystem(names) && !isOwnPlace(at, machine)) return "system";
  return matchesPath(armsAny, names, machine.home) ? "arms" : undefined;
}

/** Returns the tool that reads the file, and how. */
export function armedTool(path: string, { home }: Machine): string {
  const names = namesOf(plain(path));
  return arms.find(({ rules }) => matchesPath(rules, names, home))?.who ?? "a tool";
}

/** Reports whether writing there changes the system or starts code, for any user. */
export function isGravePlace(path: string, machine: Machine): boolean {
  const at = plain(path);
  const names = namesOf(at);
  return (
    PRECIOUS.includes(path) ||
    isSocket(at) ||
    matchesPath(blockDevices, names, machine.home) ||
    matchesPath(startsCode, names, machine.home) ||
    (isSystem(names) && !isInWorkspace(at, machine))
  );
}

function isSocket(path: string): boolean {
  return /^\/dev\/(tcp|udp)\//.test(path);
}

/** Returns how sensitive the contents of a path outside the workspace are. */
export function meaningOfReading(path: string, machine: Machine): "public" | "ordinary" | "private" {
  const at = plain(path);
  const names = namesOf(at);
  if (matchesPath(publicPlaces, names, machine.home)) return "public";
  if (matchesPath(notPrivate, names, machine.home)) return "ordinary";
  const others = /^\/(home|Users)\/[^/]+(\/|$)/.test(at) && !isInside(at, machine.home);
  return others || matchesPath(privatePlaces, names, machine.home) ? "private" : "ordinary";
}

/**
 * Reports whether the path is in the workspace or the home, which may be inside system directories (root's home is).
 */
function isOwnPlace(path: string, machine: Machine): boolean {
  const { home } = machine;
  return isInWorkspace(path, machine) || ((!PRECIOUS.includes(home) || home === "/root") && isInside(path, home));
}

function isInWorkspace(path: string, { roots }: Machine): boolean {
  return roots.some((root) => !PRECIOUS.includes(root) && isInside(path, root));
}

function isSystem(names: readonly string[]): boolean {
  return matchesPath(system, names, "/") && !matchesPath(notSystem, names, "/");
}

/**
 * Reports whether the machine needs the file: deleting one breaks the system or loses its data. Never true of files in
 * a workspace.
 */
export function isKeptBySystem(path: string, machine: Machine): boolean {
  const at = plain(path);
  if (PRECIOUS.includes(path)) return true;
  if (isInWorkspace(at, machine) && !machine.roots.includes(at)) return false;
  const names = namesOf(at);
  return isSystem(names) || matchesPath(kept, names, "/");
}

/** Reports whether deleting it removes a drive, a home or a whole root. */
export function isPrecious(path: string, machine: Machine): boolean {
  const at = path.endsWith(`/${WILD}`) ? path.slice(0, -2) || "/" : path;
  if (at.includes(WILD)) return false;
  if (PRECIOUS.includes(at) || MOUNTS.some((form) => new RegExp(form).test(at))) return true;
  return [machine.home, ...machine.roots, ...machine.protectedPaths].some((kept) => isInside(kept, at));
}

/** Removes wildcards, so that `.env*` is `.env` and `~/.ssh/*` is `~/.ssh`. A process's root is the root. */
function plain(path: string): string {
  const at = path.includes(WILD) ? path.replaceAll(WILD, "") : path;
  const rooted = at.startsWith("/proc/") ? at.replace(/^\/proc\/[^/]+\/root(?=\/)/, "") : at;
  return rooted.endsWith("/") ? rooted.replace(/\/+$/, "") : rooted;
}

/** What the catalogue says about a file or directory, apart from any command. */
interface PlaceMeaning {
  /** Its contents are a credential. */
  readonly secret: boolean;
  /** Content written there runs later. */
  readonly startsCode: boolean;
}

const secretPlaces = compilePathRules([...SECRETS, ...PROJECT_SECRETS]);
/** Includes the files of tools that start by themselves. */
const STARTS = [...STARTS_CODE, ...ARMS.filter(({ byItself }) => byItself).flatMap(({ paths }) => rulesOf(paths))];
const startingPlaces = compilePathRules(STARTS);
const ends = endsOf([...SECRETS, ...PROJECT_SECRETS, ...STARTS]);

/** Returns the meaning of an existing path: absolute, normalized, spelled as in the file system. */
export function placeMeaning(path: string, home: string): PlaceMeaning {
  const names = namesOf(path);
  return { secret: matchesPath(secretPlaces, names, home), startsCode: matchesPath(startingPlaces, names, home) };
}

/**
 * Reports whether any rule ends in this name. In a directory that no rule covers, only such names can matter, so a scan
 * calls `placeMeaning` for few files.
 */
export function mayBePlace(name: string): boolean {
  const lower = name.toLowerCase();
  return ends.names.has(lower) || ends.globs.some((glob) => matchGlob(glob, lower));
}

function endsOf(rules: readonly PathRule[]): { names: ReadonlySet<string>; globs: readonly Glob[] } {
  const last = new Set(
    rules.map(
      ({ path }) =>
        path
          .toLowerCase()
          .replace(/\/\*\*$/, "")
          .split("/")
          .at(-1) ?? "",
    ),
  );
  const globs = [...last].filter((name) => name.includes("*")).map((name) => name.split("*"));
  return { names: last, globs };
}
