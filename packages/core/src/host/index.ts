export { branchOf } from "./branch-of.ts";
export { FileHashes, isUnread, WITHOUT_WAITING } from "./hash-file.ts";
export { holdDirectory } from "./hold-directory.ts";
export { homeDirectory } from "./home-directory.ts";
export { type Lock, LockError, tryLock } from "./lock-file.ts";
export { readRegular } from "./read-regular.ts";
export { findRepository } from "./repository.ts";
export { stampOf } from "./stamp.ts";
export { userName } from "./user-name.ts";
