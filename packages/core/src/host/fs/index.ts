export { isAbsence, kindAt, realPath } from "./kind-at.ts";
export { type MountLine, parseMountInfo } from "./mount-info.ts";
export { type InnerMount, mountsWithin } from "./mounts-within.ts";
export { type OpenDirectory, openClosed, openDirectory, openInside } from "./open-directory.ts";
export { comparePaths, outermostPaths } from "./path-order.ts";
export { type Entry, readDirectory } from "./read-directory.ts";
export { realPathAsFarAsItExists } from "./real-path.ts";
export { rememberFor } from "./remember-for.ts";
export { isInside, TrustedPath } from "./trusted-path.ts";
