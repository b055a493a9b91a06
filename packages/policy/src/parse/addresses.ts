import { EVERYBODYS_HOSTS, LOOPBACK } from "../catalog/places/index.ts";

const loopback = new RegExp(LOOPBACK);
const everybodys = new RegExp(EVERYBODYS_HOSTS);
const ADDRESS = /^(?:[^=:]*=)?(?:[a-z]+\+)?(?:https?|git|ssh|ftp|svn|s3|sparse):\/\/(?:[^/@\s]*@)?([^/:?#\s]*)/i;

/** Reports whether a word, or an option's value in it, is a web address of another machine. */
export function isRemoteAddress(word: string): boolean {
  return hostOf(word) !== undefined;
}

/** Reports whether it is such an address, and not of a host that everybody gets code from. */
export function isForeignAddress(word: string): boolean {
  const host = hostOf(word);
  return host !== undefined && !everybodys.test(host);
}

function hostOf(word: string): string | undefined {
  const host = ADDRESS.exec(word)?.[1]?.toLowerCase();
  return host === undefined || loopback.test(host) ? undefined : host;
}
