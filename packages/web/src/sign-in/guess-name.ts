const BROWSERS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/Edg\//, "Edge"],
  [/Firefox\//, "Firefox"],
  [/Chrom(e|ium)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const MACHINES: readonly (readonly [mark: RegExp, name: string])[] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Mac OS X/, "Mac"],
  [/Windows/, "Windows"],
  [/Linux|X11/, "Linux"],
];

/** Suggests a name for this browser, which the person can edit. */
export function guessName(userAgent: string): string {
  const named = (list: typeof BROWSERS) => list.find(([mark]) => mark.test(userAgent))?.[1];
  const [browser, machine] = [named(BROWSERS) ?? "Browser", named(MACHINES)];
  return machine === undefined ? browser : `${browser} on ${machine}`;
}
