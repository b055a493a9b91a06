export { type Glob, matchGlob } from "./match.ts";
export {
  armedTool,
  isAboveSecrets,
  isBlockDevice,
  isGravePlace,
  isHarmlessDevice,
  isKeptBySystem,
  isPersonalSecret,
  isPrecious,
  isSecret,
  mayBePlace,
  meaningOfReading,
  meaningOfWriting,
  placeMeaning,
} from "./meaning.ts";
export type { PathSite } from "./path-effect.ts";
export { guardPolicy, judgeProtected } from "./protected.ts";
export { judgeRead, READ_OPEN, relyOnJail, SECRET_NAMES } from "./reads.ts";
export { locateScript, nameScript } from "./scripts.ts";
export { ARMS_TOOL, judgeWrite } from "./writes.ts";
