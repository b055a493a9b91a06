import { type Effect, isInside, isInsideAny, WILD, type Word } from "../model/index.ts";
import { placesOf, type ResolvedPath, resolvePath } from "../shell/index.ts";
import { isAboveSecrets, isHarmlessDevice, isSecret, meaningOfReading, spellsSecret } from "./meaning.ts";
import { makePathEffect, type PathSite } from "./path-effect.ts";
import { judgeProtected } from "./protected.ts";

/** The rule of a read of contents whose path is only known when it runs. */
export const READ_OPEN = "path.read-open";

/** The rule of a look at the names of secrets, not their contents. */
export const SECRET_NAMES = "path.secret-names";

interface ReadAccess {
  /** Names and sizes only, as `ls` shows: no secret is given away by them. */
  readonly namesOnly: boolean;
  /** The tool goes into directories by itself. */
  readonly recursive: boolean;
  /** What it finds there decides what it does: outside of the workspace that isn't known. */
  readonly settings?: boolean;
}

/** What reading the path means. Both what the words say and where links lead are judged; the worse counts. */
export function judgeRead(word: Word, access: ReadAccess, site: PathSite): Effect[] {
  const { places, certain } = site.directory;
  if (!certain && places !== undefined && !word.mask.startsWith("/") && !word.tilde) {
    return places.flatMap((path) => judgeRead(word, access, { ...site, directory: { path, certain: true } }));
  }
  const path = resolvePath(word, site.directory, site.machine);
  const guarded = judgeProtected(word, path, site);
  if (guarded) return [guarded];
  if (isHarmlessDevice(word.literal)) return [];
  // `$x/etc/shadow` with an empty x.
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

/** What is safe about it is so only where a jail hides secrets. */
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

/** Names are shown of any place, contents of public ones; of others only where a jail hides what is kept in them. */
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

/** A glob or variable: its fixed beginning must stay in the workspace, the jail holds the rest. */
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

/** Whatever stands in this directory may be read: names anywhere, contents where nothing of a person's is kept. */
function isOpenPlace(directory: string, { namesOnly }: ReadAccess, { machine }: PathSite): boolean {
  if (namesOnly) return true;
  return meaningOfReading(`${directory}/x`, machine) !== "private" && !isAboveSecrets(directory, machine);
}
