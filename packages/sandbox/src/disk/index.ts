export { FrameLog, type OpenedLog } from "./frame-log.ts";
export { type DirectoryLock, lockDirectory } from "./lock-directory.ts";
export { syncDirectory, writeAtomically } from "./write-atomically.ts";
