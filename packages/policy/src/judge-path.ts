import type { ClassifyContext } from "./classification.ts";
import type { Directory } from "./draft.ts";
import type { Effect, EffectKind, Layer, RiskLevel, Span } from "./effect.ts";
import { isHarmlessDevice, isSecret, meaningOfWriting } from "./path-meaning.ts";
import { WILD, type WordReading } from "./read-word.ts";
import { isInside, isInsideAny, type ResolvedPath, resolveGuess, resolvePath } from "./resolve-path.ts";

/** Who touches the path, from where. */
export interface PathSite {
  readonly context: ClassifyContext;
  readonly directory: Directory;
  readonly span: Span;
  /** False for redirects: they are the shell's, not the program's. */
  readonly own: boolean;
  readonly layer: Layer;
}

export interface ReadAccess {
  /** Names and sizes only, as `ls` shows: no secret is given away by them. */
  readonly namesOnly: boolean;
  /** The tool goes into directories by itself. */
  readonly recursive: boolean;
}

/** What reading the path means. Both what the words say and where links lead are judged; the worse counts. */
export function judgeRead(word: WordReading, access: ReadAccess, site: PathSite): Effect[] {
  const guarded = judgeProtected(word, site);
  if (guarded) return [guarded];
  const path = resolvePath(word, site.directory, site.context);
  if (isHarmlessDevice(word.literal)) return [];
  const candidates = [path.lexical, path.real, resolveGuess(word, site.directory, site.context)];
  if (!access.namesOnly) {
    const secret = candidates.find((one) => one !== undefined && isSecret(one, site.context));
    if (secret)
      return [
        make(site, {
          kind: "credentials",
          risk: "dangerous",
          ruleId: "path.secret",
          verb: "Reads a secret",
          path: secret,
        }),
      ];
  }
  return [judgeOrdinaryRead(word, path, { access, site })];
}

/** What writing the path means: never safe, except to devices that keep nothing. */
export function judgeWrite(word: WordReading, site: PathSite): Effect[] {
  const guarded = judgeProtected(word, site);
  if (guarded) return [guarded];
  const path = resolvePath(word, site.directory, site.context);
  if (isHarmlessDevice(word.literal) || (word.literal === "/dev/tty" && path.real === "/dev/tty")) return [];
  const candidates = [path.lexical, path.real, resolveGuess(word, site.directory, site.context)];
  for (const one of candidates) {
    const found = one === undefined ? undefined : judgeHarmfulWrite(one, site);
    if (found) return [found];
  }
  if (word.literal === null || !path.certain || path.real === undefined) {
    return [
      make(site, {
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
  return [make(site, { kind: "writes", risk: "needs-review", ruleId: "path.write", verb, path: path.real })];
}

/** The floor: files of Countersign itself, however they are reached. Wildcards count when they could reach them. */
export function judgeProtected(word: WordReading, site: PathSite): Effect | undefined {
  const { lexical, real } = resolvePath(word, site.directory, site.context);
  const candidates = [lexical, real ?? lexical, resolveGuess(word, site.directory, site.context)];
  const touched = site.context.protectedPaths.find((path) =>
    candidates.some((one) => (one.includes(WILD) ? couldReach(one, path) : isInside(one, path))),
  );
  if (touched === undefined) return undefined;
  const about = { ruleId: "path.countersign", verb: "Touches Countersign's own files", path: touched };
  return { ...make(site, { kind: "credentials", risk: "dangerous", ...about }), floor: true };
}

function judgeOrdinaryRead(
  word: WordReading,
  path: ResolvedPath,
  { access, site }: { access: ReadAccess; site: PathSite },
): Effect {
  if (word.literal === null) return judgeOpenRead(word, path, site);
  if (!path.certain || path.real === undefined) {
    return make(site, {
      kind: "reads",
      risk: "needs-review",
      ruleId: "path.read-unknown",
      verb: `Reads where ${word.text} leads`,
    });
  }
  const outside = [path.lexical, path.real].find((one) => !isInsideAny(one, site.context.roots));
  if (outside !== undefined) {
    const about = { ruleId: "path.read-outside", verb: "Reads outside the workspace", path: outside };
    return make(site, { kind: "reads", risk: "needs-review", ...about });
  }
  const effect = make(site, { kind: "reads", risk: "safe", ruleId: "path.read", verb: "Reads", path: path.real });
  const linked = path.real !== path.lexical;
  return linked || (access.recursive && !access.namesOnly) ? { ...effect, reliesOnJail: true } : effect;
}

/** A glob or variable: its fixed beginning must stay in the workspace, the jail holds the rest. */
function judgeOpenRead(word: WordReading, path: ResolvedPath, site: PathSite): Effect {
  const fixed = path.lexical.slice(0, path.lexical.indexOf(WILD));
  const climbs = /(^|\/)\.\.(\/|$)/.test(word.mask);
  const begins = fixed.slice(0, fixed.lastIndexOf("/")) || "/";
  const anywhere = word.mask.startsWith(WILD) && word.shape !== "glob";
  const known = anywhere || begins === "/dev/fd" || isInsideAny(begins, site.context.roots);
  const certain = anywhere || path.certain || (word.shape === "glob" && site.directory.certain);
  const verb = `Reads what ${word.text} stands for`;
  const foreign = { ...site, own: false };
  if (word.shape === "other" || climbs || !known || !certain) {
    return make(foreign, { kind: "reads", risk: "needs-review", ruleId: "path.read-open", verb });
  }
  return { ...make(foreign, { kind: "reads", risk: "safe", ruleId: "path.read-open", verb }), reliesOnJail: true };
}

function judgeHarmfulWrite(path: string, site: PathSite): Effect | undefined {
  switch (meaningOfWriting(path, site.context)) {
    case "socket":
      return make(site, {
        kind: "network-send",
        risk: "dangerous",
        ruleId: "path.socket",
        verb: "Opens a network connection",
        path,
      });
    case "block-device":
      return {
        ...make(site, {
          kind: "writes",
          risk: "dangerous",
          ruleId: "path.block-device",
          verb: "Writes raw data to a disk",
          path,
        }),
        floor: true,
      };
    case "starts-code":
      return make(site, {
        kind: "persistence",
        risk: "dangerous",
        ruleId: "path.starts-code",
        verb: "Writes where code is started from",
        path,
      });
    case "system":
      return make(site, {
        kind: "writes",
        risk: "dangerous",
        ruleId: "path.system",
        verb: "Writes to the system",
        path,
      });
    default:
      return undefined;
  }
}

function couldReach(masked: string, path: string): boolean {
  const names = masked.split("/").slice(1);
  const wanted = path.split("/").slice(1);
  // A word that begins with a variable could lead anywhere; that alone accuses nobody.
  if ((names[0] ?? "").startsWith(WILD)) return false;
  return wanted.every((name, index) => {
    const pattern = names[index];
    if (pattern === undefined) return false;
    return pattern.includes(WILD) ? fits(pattern, name) : pattern === name;
  });
}

function fits(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split(WILD);
  return name.startsWith(first) && name.endsWith(rest.at(-1) ?? "");
}

interface About {
  readonly kind: EffectKind;
  readonly risk: RiskLevel;
  readonly ruleId: string;
  readonly verb: string;
  readonly path?: string;
}

function make(site: PathSite, { kind, risk, ruleId, verb, path }: About): Effect {
  const { span, layer, own } = site;
  const shown = path?.replaceAll(WILD, "*");
  const sentence = shown === undefined ? verb : `${verb}: ${shown}`;
  const target = path === undefined || path.includes(WILD) ? {} : { target: path };
  return { kind, risk, span, layer, ruleId, sentence, own, ...target };
}
