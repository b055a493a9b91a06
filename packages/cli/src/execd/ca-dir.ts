import { join, resolve } from "node:path";
import { type GlobalOptions, homeDirOf } from "../base/index.ts";

export interface CaOptions extends GlobalOptions {
  readonly ca?: string;
}

export function caDirOf(options: CaOptions): string {
  return options.ca === undefined ? join(homeDirOf(options), "execd-ca") : resolve(options.ca);
}
