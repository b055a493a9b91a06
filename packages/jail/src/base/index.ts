export { type CodeSnapshot, openSnapshot } from "./code-snapshot.ts";
export { endOf } from "./end-of.ts";
export { isRunning, killTree, startOf } from "./first-process.ts";
export { cachesIn, homeInJail } from "./home-in-jail.ts";
export { JailError, type JailErrorCode } from "./jail-error.ts";
export { identityOf, type MappedPath, mappedPaths } from "./mapped-path.ts";
