/** What is asked for, as Go's net/http takes a request line apart. Both are bytes, one for each character: a path needn't be UTF-8. */
export interface Target {
  readonly path: string;
  readonly rawQuery: string;
}

/** null where Go answers 400 by itself: nothing of execd is reached by it. */
export function readTarget(text: string): Target | null {
  // As url.ParseRequestURI: no fragments, so `#` is a letter like others.
  if (text === "" || /[\0-\x20\x7f]/.test(text)) return null;
  const rest = text.startsWith("/") ? text : pathOfAbsolute(text);
  if (rest === null) return null;
  const mark = rest.indexOf("?");
  const path = unescapeBytes(mark === -1 ? rest : rest.slice(0, mark));
  return path === null ? null : { path, rawQuery: mark === -1 ? "" : rest.slice(mark + 1) };
}

/** `http://host/command` is routed as `/command`, whatever the host; so is `http:/command`. */
function pathOfAbsolute(text: string): string | null {
  const match = /^[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/[^/?]*(.*)|(\/.*))$/.exec(text);
  return match ? (match[1] ?? match[2] ?? "") : null;
}

/** A query as gin reads it: pairs that Go can't read are left out, with the others taken. */
export function readQuery(rawQuery: string): readonly (readonly [name: string, value: Buffer])[] {
  const pairs: [string, Buffer][] = [];
  for (const pair of rawQuery.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const name = unescapeBytes(plusToSpace(equals === -1 ? pair : pair.slice(0, equals)));
    const value = unescapeBytes(plusToSpace(equals === -1 ? "" : pair.slice(equals + 1)));
    if (name !== null && value !== null) pairs.push([name, Buffer.from(value, "latin1")]);
  }
  return pairs;
}

function plusToSpace(text: string): string {
  return text.replaceAll("+", " ");
}

/** Once, never twice. null where a `%` isn't followed by two hex digits. */
function unescapeBytes(text: string): string | null {
  if (!text.includes("%")) return text;
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return null;
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
