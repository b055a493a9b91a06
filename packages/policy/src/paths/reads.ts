import { type Effect, isInside, isInsideAny, WILD, type Word } from "../model/index.ts";
import { placesOf, type ResolvedPath, resolvePath } from "../shell/index.ts";
import { isAboveSecrets, isHarmlessDevice, isSecret, meaningOfReading, spellsSecret } from "./meaning.ts";
import { makePathEffect, type PathSite } from "./path-effect.ts";
import { judgeProtected } from "./protected.ts";

/** Rule id for reading contents of a path that is only known when it runs. */
export const READ_OPEN = "path.read-open";

/** Rule id for listing names of secrets, not their contents. */
export const SECRET_NAMES = "path.secret-names";

interface ReadAccess {
  /** Reads names and sizes only, as `ls` does, which reveals no secret. */
  readonly namesOnly: boolean;
  /** The tool descends into directories. */
  readonly recursive: boolean;
  /** The tool reads settings there, which aren't known outside the workspace. */
  readonly settings?: boolean;
}

/** Returns the effects of reading the path. Judges both the written path and its link target; the worse counts. */
export function judgeRead(word: Word, access: ReadAccess, site: PathSite): Effect[] {
  const { places, certain } = site.directory;
  if (!certain && places !== undefined && !word.mask.startsWith("/") && !word.tilde) {
    return places.flatMap((path) => judgeRead(word, access, { ...site, directory: { path, certain: true } }));
  }
  const path = resolvePath(word, site.directory, site.machine);
  const guarded = judgeProtected(word, path, site);
  if (guarded) return [guarded];
  if (isHarmlessDevice(word.literal)) return [];
  // `$x/etc/shadow` with x empty.
  const paths = word.mask.startsWith(`${WILD}/`) ? [...placesOf(path), word.mask.slice(1)] : placesOf(path);
  const secret = paths.find((one) => isSecret(one, site.machine) || spellsSecret(one, site.machine));
  if (secret !== undefined && !access.namesOnly)
    return [
      makePathEffect(site, {
        kind: "credentials",
        risk: "dangerous",
        ruleId: "path.secret",
        verb: "Reads a secret",
        path: secret,
      }),
    ];
  const effect = judgeOrdinaryRead(word, path, { access, site });
  return [secret === undefined ? effect : { ...effect, ruleId: SECRET_NAMES }];
}

/** Marks a safe effect as safe only in a jail that hides secrets. */
export function relyOnJail(effect: Effect): Effect {
  return effect.risk === "safe" ? { ...effect, reliesOnJail: true } : effect;
}

function judgeOrdinaryRead(
  word: Word,
  path: ResolvedPath,
  { access, site }: { access: ReadAccess; site: PathSite },
): Effect {
  if (word.literal === null) return judgeOpenRead(word, path, { access, site });
  if (!path.certain || path.real === undefined) {
    return makePathEffect(site, {
      kind: "reads",
      risk: "needs-review",
      ruleId: "path.read-unknown",
      verb: `Reads ${word.text}, and where that leads isn't known`,
    });
  }
  const outside = [path.lexical, path.real].filter((one) => !isInsideAny(one, site.machine.roots));
  const [first, second] = outside.map((one) => judgeOutsideRead(one, { access, site }));
  if (first !== undefined) return second !== undefined && isGraver(second, first) ? second : first;
  const effect = makePathEffect(site, {
    kind: "reads",
    risk: "safe",
    ruleId: "path.read",
    verb: "Reads",
    path: path.real,
  });
  const linked = path.real !== path.lexical;
  return linked || (access.recursive && !access.namesOnly) ? relyOnJail(effect) : effect;
}

/**
 * Judges a read outside the workspace: names are safe anywhere, contents in public places, and other contents only if a
 * jail hides private ones.
 */
function judgeOutsideRead(path: string, { access, site }: { access: ReadAccess; site: PathSite }): Effect {
  const meaning = meaningOfReading(path, site.machine);
  const deep = access.recursive && isAboveSecrets(path, site.machine);
  const trusted = !access.settings || (meaning === "ordinary" && isInside(path, site.machine.home));
  const open = trusted && (access.namesOnly || (meaning !== "private" && !deep));
  const about = { ruleId: "path.read-outside", verb: "Reads outside the workspace", path };
  const effect = makePathEffect(site, { kind: "reads", risk: open ? "safe" : "needs-review", ...about });
  return meaning === "public" ? effect : relyOnJail(effect);
}

function isGraver(one: Effect, other: Effect): boolean {
  if (one.risk !== other.risk) return one.risk !== "safe";
  return one.reliesOnJail === true && !other.reliesOnJail;
}

/**
 * Judges a path with a glob or variable: its fixed beginning must be in the workspace, and the jail limits the rest.
 */
function judgeOpenRead(
  word: Word,
  path: ResolvedPath,
  { access, site }: { access: ReadAccess; site: PathSite },
): Effect {
  const fixed = path.lexical.slice(0, path.lexical.indexOf(WILD));
  const climbs = /(^|\/)\.\.(\/|$)/.test(word.mask);
  const begins = fixed.slice(0, fixed.lastIndexOf("/")) || "/";
  const anywhere = word.mask.startsWith(WILD) && word.shape !== "glob";
  const known =
    anywhere || begins === "/dev/fd" || isInsideAny(begins, site.machine.roots) || isOpenPlace(begins, access, site);
  const certain = anywhere || path.certain || (word.shape === "glob" && site.directory.certain);
  const verb = `Reads the paths that ${word.text} expands to`;
  const ruleId = access.namesOnly ? "path.names-open" : word.shape === "glob" ? "path.read-glob" : READ_OPEN;
  const foreign = { ...site, own: false };
  if (word.shape === "other" || climbs || !known || !certain) {
    return makePathEffect(foreign, { kind: "reads", risk: "needs-review", ruleId, verb });
  }
  return relyOnJail(makePathEffect(foreign, { kind: "reads", risk: "safe", ruleId, verb }));
}

/** Reports whether anything in this directory may be read: names anywhere, contents if nothing private is there. */
function isOpenPlace(directory: string, { namesOnly }: ReadAccess, { machine }: PathSite): boolean {
  if (namesOnly) return true;
  return meaningOfReading(`${directory}/x`, machine) !== "private" && !isAboveSecrets(directory, machine);
}
