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
  // `/proc/$x/environ`: whatever stands there.
  return path.includes(WILD) && matchesPath(secrets, namesOf(path.replaceAll(WILD, "0")), machine.home);
}

/** A glob that spells a secret's name with holes in it (`/etc/s?adow`), rather than one that takes whatever is there. */
export function spellsSecret(path: string, { home }: Machine): boolean {
  if (!path.includes(WILD)) return false;
  const components = path.split("/").filter((one) => one.includes(WILD));
  if (components.some((one) => one.replaceAll(WILD, "").replace(/^\./, "").length < 2)) return false;
  const pieces = path.split(WILD);
  return SPELLED_SECRETS.some((one) => matchGlob(pieces, one.replace(/^~/, home)));
}

/** Outside of any repository: nobody works on these. */
export function isPersonalSecret(path: string, machine: Machine): boolean {
  return matchesPath(secrets, namesOf(plain(path)), machine.home);
}

/** A directory in which, at some depth, credentials are kept: the root, homes and the like. */
export function isAboveSecrets(path: string, { home }: Machine): boolean {
  const within = isInside(path, home) ? path.slice(home.length) : undefined;
  if (within !== undefined && ["/.config", "/.local", "/.local/share", "/Library"].includes(within)) return true;
  return ABOVE_SECRETS.includes(path) || path === home || isInside(home, path) || /^\/(home|Users)\/[^/]+$/.test(path);
}

/** By its plain name only: `link/../dev/null` may lead elsewhere. */
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

/** Which tool goes by the file, and how. */
export function armedTool(path: string, { home }: Machine): string {
  const names = namesOf(plain(path));
  return arms.find(({ rules }) => matchesPath(rules, names, home))?.who ?? "a tool";
}

/** Writing there is the machine's own affair or starts code, whoever's place it is. */
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

/** What a place outside of the workspace is to someone who reads it. */
export function meaningOfReading(path: string, machine: Machine): "public" | "ordinary" | "private" {
  const at = plain(path);
  const names = namesOf(at);
  if (matchesPath(publicPlaces, names, machine.home)) return "public";
  if (matchesPath(notPrivate, names, machine.home)) return "ordinary";
  const others = /^\/(home|Users)\/[^/]+(\/|$)/.test(at) && !isInside(at, machine.home);
  return others || matchesPath(privatePlaces, names, machine.home) ? "private" : "ordinary";
}

/** A workspace may lie where the machine's own files are, and root's home is one of those places. */
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

/** The machine needs it: deleting even one file there breaks it, or loses what it keeps. A workspace's files are never that. */
export function isKeptBySystem(path: string, machine: Machine): boolean {
  const at = plain(path);
  if (PRECIOUS.includes(path)) return true;
  if (isInWorkspace(at, machine) && !machine.roots.includes(at)) return false;
  const names = namesOf(at);
  return isSystem(names) || matchesPath(kept, names, "/");
}

/** Deleting it, or all that is inside it, takes a drive, a home or a whole root away. */
export function isPrecious(path: string, machine: Machine): boolean {
  const at = path.endsWith(`/${WILD}`) ? path.slice(0, -2) || "/" : path;
  if (at.includes(WILD)) return false;
  if (PRECIOUS.includes(at) || MOUNTS.some((form) => new RegExp(form).test(at))) return true;
  return [machine.home, ...machine.roots, ...machine.protectedPaths].some((kept) => isInside(kept, at));
}

/**
 * With the wildcards taken out, `.env*` is `.env` and `~/.ssh/*` is `~/.ssh`: what they plainly aim at. The root of a process
 * is the root.
 */
function plain(path: string): string {
  const at = path.includes(WILD) ? path.replaceAll(WILD, "") : path;
  const rooted = at.startsWith("/proc/") ? at.replace(/^\/proc\/[^/]+\/root(?=\/)/, "") : at;
  return rooted.endsWith("/") ? rooted.replace(/\/+$/, "") : rooted;
}

/** What a file or directory is by the tables, whatever a command would do with it. */
interface PlaceMeaning {
  /** Its contents give a credential away. */
  readonly secret: boolean;
  /** What is written there runs later. */
  readonly startsCode: boolean;
}

const secretPlaces = compilePathRules([...SECRETS, ...PROJECT_SECRETS]);
/** With the files that arm a tool which starts by itself. */
const STARTS = [...STARTS_CODE, ...ARMS.filter(({ byItself }) => byItself).flatMap(({ paths }) => rulesOf(paths))];
const startingPlaces = compilePathRules(STARTS);
const ends = endsOf([...SECRETS, ...PROJECT_SECRETS, ...STARTS]);

/** The meaning of a path that exists: absolute, normalized, as the file system spells it. */
export function placeMeaning(path: string, home: string): PlaceMeaning {
  const names = namesOf(path);
  return { secret: matchesPath(secretPlaces, names, home), startsCode: matchesPath(startingPlaces, names, home) };
}

/**
 * Whether a rule can end at this name. In a directory that no rule covers an entry without such a name means nothing, so
 * that a walk over many files needs `placeMeaning` for few of them.
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
