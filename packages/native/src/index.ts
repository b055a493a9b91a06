export {
  addDirectoryWatch,
  addWatch,
  closeInotify,
  IN,
  openInotify,
  readEvents,
  removeWatch,
} from "./inotify.ts";
export { close, lastError, SystemError } from "./libc.ts";
export {
  attachTree,
  attachTreeOn,
  cloneTree,
  makeReadOnly,
  mapOwners,
  mountOverlay,
  mountScratch,
  mountTmpfs,
  openBeneath,
  openEntryBeneath,
  openWithoutLinks,
} from "./mounts.ts";
export { bytesOfPath, nodePath, pathFromBytes } from "./path-bytes.ts";
export { type Peer, peerOf } from "./peer.ts";
export { POLLIN, POLLPRI, type Polled, waitFor, waitForInput } from "./poll.ts";
export { renameNew } from "./rename.ts";
export { bind, recvfrom, sendto, setsockopt, socket } from "./socket.ts";
export { type ChildEnd, closeOnExec, endOfPid, openPipe, posixSpawn, type SpawnRequest } from "./spawn.ts";
export { foregroundGroup, resizeTerminal, unlockTerminal } from "./terminal.ts";
export {
  canChangeThreads,
  clearAmbientCapabilities,
  dumpability,
  enterNamespace,
  type FileUser,
  fileUser,
  forbidCoreDumps,
  setDumpability,
  setFileUser,
  setThreadCapabilities,
  setThreadGroup,
  setThreadGroups,
  setThreadUser,
  takeShortTurns,
  threadCapabilities,
  unshareDirectory,
} from "./thread.ts";
