export { closeOnExec } from "./close-on-exec.ts";
export { bytesOfPath, nodePath, pathFromBytes } from "./path-bytes.ts";
export { type Peer, peerOf } from "./peer.ts";
export { type ChildEnd, endOfPid, openPipe, posixSpawn, type SpawnRequest } from "./posix-spawn.ts";
export { renameNew } from "./rename-new.ts";
export {
  attachTree,
  attachTreeOn,
  checked,
  cloneTree,
  makeReadOnly,
  mapOwners,
  mountOverlay,
  mountScratch,
  mountTmpfs,
  openBeneath,
  openEntryBeneath,
  openWithoutLinks,
  SyscallError,
} from "./syscalls.ts";
export {
  addDirectoryWatch,
  addWatch,
  closeInotify,
  IN,
  openInotify,
  POLLIN,
  POLLPRI,
  type Polled,
  readEvents,
  removeWatch,
  takeShortTurns,
  waitFor,
} from "./watch-calls.ts";
