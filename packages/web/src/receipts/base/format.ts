/** `1,204`. */
export function many(count: number): string {
  return count.toLocaleString("en-GB");
}

export function counted(count: number, what: string): string {
  return `${many(count)} ${what}${count === 1 ? "" : "s"}`;
}

/** `z6MkhaXg…2doK`: enough to recognize a key. To compare keys, show the whole. */
export function shortKey(did: string): string {
  const key = did.replace(/^did:key:/, "");
  return key.length <= 16 ? key : `${key.slice(0, 8)}…${key.slice(-6)}`;
}

/** `3f9c2a1b`. */
export function shortHash(hash: string): string {
  return hash.replace(/^sha256:/, "").slice(0, 8);
}
