import { type Effect, isInside, isInsideAny, WILD, type WordReading } from "../model/index.ts";
import { placesOf, type ResolvedPath, resolvePath } from "../shell/index.ts";
import { judgeProtected } from "./judge-protected.ts";
import { makePathEffect, type PathSite } from "./path-effect.ts";
import {
  isAboveSecrets,
  isHarmlessDevice,
  isSecret,
  meaningOfReading,
  meaningOfWriting,
  spellsSecret,
  whatArms,
} from "./path-meaning.ts";

/** The rule of a read of contents whose path is only known when it runs. */
export const READ_OPEN = "path.read-open";

/** The rule of a look at the names of secrets, not their contents. */
export const SECRET_NAMES = "path.secret-names";

export interface ReadAccess {
  /** Names and sizes only, as `ls` shows: no secret is given away by them. */
  readonly namesOnly: boolean;
  /** The tool goes into directories by itself. */
  readonly recursive: boolean;
  /** What it finds there decides what it does: outside of the workspace that isn't known. */
  readonly settings?: boolean;
}

/** What reading the path means. Both what the words say and where links lead are judged; the worse counts. */
export function judgeRead(word: WordReading, access: ReadAccess, site: PathSite): Effect[] {
  const { places, certain } = site.directory;
  if (!certain && places !== undefined && !word.mask.startsWith("/") && !word.tilde) {
    return places.flatMap((path) => judgeRead(word, access, { ...site, directory: { path, certain: true } }));
  }
  const path = resolvePath(word, site.directory, site.context);
  const guarded = judgeProtected(word, path, site);
  if (guarded) return [guarded];
  if (isHarmlessDevice(word.literal)) return [];
  // `$x/etc/shadow` with an empty x.
  const paths = word.mask.startsWith(`${WILD}/`) ? [...placesOf(path), word.mask.slice(1)] : placesOf(path);
  const secret = paths.find((one) => isSecret(one, site.context) || spellsSecret(one, site.context));
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

/** What writing the path means: never safe, except to devices that keep nothing. */
export function judgeWrite(word: WordReading, site: PathSite): Effect[] {
  const path = resolvePath(word, site.directory, site.context);
  const effects = judgeResolvedWrite(word, path, site);
  const isLinked = path.real !== undefined && path.real !== path.lexical;
  return isLinked ? effects.map((effect) => ({ ...effect, linked: true })) : effects;
}

function judgeResolvedWrite(word: WordReading, path: ResolvedPath, site: PathSite): Effect[] {
  const guarded = judgeProtected(word, path, site);
  if (guarded) return [guarded];
  if (isHarmlessDevice(word.literal) || (word.literal === "/dev/tty" && path.real === "/dev/tty")) return [];
  const harmful = placesOf(path).flatMap((one) => judgeHarmfulWrite(one, site) ?? []);
  const gravest = harmful.find(({ risk }) => risk === "dangerous") ?? harmful[0];
  if (gravest !== undefined) return [gravest];
  if (word.literal === null || !path.certain || path.real === undefined) {
    return [
      makePathEffect(site, {
        kind: "writes",
        risk: "needs-review",
        ruleId: "path.write-unknown",
        verb: `Writes where ${word.text} leads`,
      }),
    ];
  }
  const { roots } = site.context;
  const within = isInsideAny(path.lexical, roots) && isInsideAny(path.real, roots);
  const verb = within ? "Writes" : "Writes outside the workspace";
  return [makePathEffect(site, { kind: "writes", risk: "needs-review", ruleId: "path.write", verb, path: path.real })];
}

/** The rule of a write to a file by which a tool later runs or loads something. */
export const ARMS_TOOL = "path.arms";

/** What is safe about it is so only where a jail hides secrets. */
export function relyOnJail(effect: Effect): Effect {
  return effect.risk === "safe" ? { ...effect, reliesOnJail: true } : effect;
}

function judgeOrdinaryRead(
  word: WordReading,
  path: ResolvedPath,
  { access, site }: { access: ReadAccess; site: PathSite },
): Effect {
  if (word.literal === null) return judgeOpenRead(word, path, { access, site });
  if (!path.certain || path.real === undefined) {
    return makePathEffect(site, {
      kind: "reads",
      risk: "needs-review",
      ruleId: "path.read-unknown",
      verb: `Reads where ${word.text} leads`,
    });
  }
  const outside = [path.lexical, path.real].filter((one) => !isInsideAny(one, site.context.roots));
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
  const meaning = meaningOfReading(path, site.context);
  const deep = access.recursive && isAboveSecrets(path, site.context);
  const trusted = !access.settings || (meaning === "ordinary" && isInside(path, site.context.home));
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
  word: WordReading,
  path: ResolvedPath,
  { access, site }: { access: ReadAccess; site: PathSite },
): Effect {
  const fixed = path.lexical.slice(0, path.lexical.indexOf(WILD));
  const climbs = /(^|\/)\.\.(\/|$)/.test(word.mask);
  const begins = fixed.slice(0, fixed.lastIndexOf("/")) || "/";
  const anywhere = word.mask.startsWith(WILD) && word.shape !== "glob";
  const known =
    anywhere || begins === "/dev/fd" || isInsideAny(begins, site.context.roots) || isOpenPlace(begins, access, site);
  const certain = anywhere || path.certain || (word.shape === "glob" && site.directory.certain);
  const verb = `Reads what ${word.text} stands for`;
  const ruleId = access.namesOnly ? "path.names-open" : word.shape === "glob" ? "path.read-glob" : READ_OPEN;
  const foreign = { ...site, own: false };
  if (word.shape === "other" || climbs || !known || !certain) {
    return makePathEffect(foreign, { kind: "reads", risk: "needs-review", ruleId, verb });
  }
  return relyOnJail(makePathEffect(foreign, { kind: "reads", risk: "safe", ruleId, verb }));
}

/** Whatever stands in this directory may be read: names anywhere, contents where nothing of a person's is kept. */
function isOpenPlace(directory: string, { namesOnly }: ReadAccess, { context }: PathSite): boolean {
  if (namesOnly) return true;
  return meaningOfReading(`${directory}/x`, context) !== "private" && !isAboveSecrets(directory, context);
}

function judgeHarmfulWrite(path: string, site: PathSite): Effect | undefined {
  switch (meaningOfWriting(path, site.context)) {
    case "socket":
      return makePathEffect(site, {
        kind: "network-send",
        risk: "dangerous",
        ruleId: "path.socket",
        verb: "Opens a network connection",
        path,
      });
    case "block-device":
      return {
        ...makePathEffect(site, {
          kind: "writes",
          risk: "dangerous",
          ruleId: "path.block-device",
          verb: "Writes raw data to a disk",
          path,
        }),
        floor: true,
      };
    case "starts-code":
      return makePathEffect(site, {
        kind: "persistence",
        risk: "dangerous",
        ruleId: "path.starts-code",
        verb: "Writes where code is started from",
        path,
      });
    case "system":
      return makePathEffect(site, {
        kind: "writes",
        risk: "dangerous",
        ruleId: "path.system",
        verb: "Writes to the system",
        path,
      });
    case "arms":
      return makePathEffect(site, {
        kind: "persistence",
        risk: "needs-review",
        ruleId: ARMS_TOOL,
        verb: `Arms ${whatArms(path, site.context)}`,
        path,
      });
    default:
      return undefined;
  }
}
