export { guardPolicy } from "./guard-policy.ts";
export { ARMS_TOOL, judgeRead, judgeWrite, READ_OPEN, relyOnJail, SECRET_NAMES } from "./judge-path.ts";
export { judgeProtected } from "./judge-protected.ts";
export { type Glob, matchGlob } from "./match-glob.ts";
export { locateScript, nameScript } from "./name-script.ts";
export type { PathSite } from "./path-effect.ts";
export {
  isAboveSecrets,
  isBlockDevice,
  isGravePlace,
  isHarmlessDevice,
  isKeptBySystem,
  isPersonalSecret,
  isPrecious,
  isSecret,
  meaningOfReading,
  meaningOfWriting,
  whatArms,
} from "./path-meaning.ts";
export { mayBePlace, placeMeaning } from "./place-meaning.ts";
