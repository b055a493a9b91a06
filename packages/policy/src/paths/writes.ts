import { type Effect, isInsideAny, type Word } from "../model/index.ts";
import { placesOf, type ResolvedPath, resolvePath } from "../shell/index.ts";
import { armedTool, isHarmlessDevice, meaningOfWriting } from "./meaning.ts";
import { makePathEffect, type PathSite } from "./path-effect.ts";
import { judgeProtected } from "./protected.ts";

/** Returns the effects of writing the path: never safe, except to devices that keep nothing. */
export function judgeWrite(word: Word, site: PathSite): Effect[] {
  const path = resolvePath(word, site.directory, site.machine);
  const effects = judgeResolvedWrite(word, path, site);
  const isLinked = path.real !== undefined && path.real !== path.lexical;
  return isLinked ? effects.map((effect) => ({ ...effect, linked: true })) : effects;
}

function judgeResolvedWrite(word: Word, path: ResolvedPath, site: PathSite): Effect[] {
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
        verb: `Writes to ${word.text}, and where that leads isn't known`,
      }),
    ];
  }
  const { roots } = site.machine;
  const within = isInsideAny(path.lexical, roots) && isInsideAny(path.real, roots);
  const verb = within ? "Writes" : "Writes outside the workspace";
  return [makePathEffect(site, { kind: "writes", risk: "needs-review", ruleId: "path.write", verb, path: path.real })];
}

/** Rule id for writing a file from which a tool later runs or loads something. */
export const ARMS_TOOL = "path.arms";

function judgeHarmfulWrite(path: string, site: PathSite): Effect | undefined {
  switch (meaningOfWriting(path, site.machine)) {
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
        verb: "Writes to a place from which code starts",
        path,
      });
    case "system":
      return makePathEffect(site, {
        kind: "writes",
        risk: "dangerous",
        ruleId: "path.system",
        verb: "Writes to a system path",
        path,
      });
    case "arms":
      return makePathEffect(site, {
        kind: "persistence",
        risk: "needs-review",
        ruleId: ARMS_TOOL,
        verb: `Configures ${armedTool(path, site.machine)}`,
        path,
      });
    default:
      return undefined;
  }
}
