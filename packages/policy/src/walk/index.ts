export { isForeign, judgeReader } from "./other-shells.ts";
export { walkScript } from "./walk.ts";
