export { isForeign, judgeReader } from "./judge-reader.ts";
export { walkScript } from "./walk-script.ts";
