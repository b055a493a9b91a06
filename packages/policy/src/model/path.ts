/** A component that isn't a name: empty, `.` or `..`. */
const UNTIDY = /\/\.{0,2}(?:\/|$)/;

export function normalize(path: string): string {
  if (path.startsWith("/") && !UNTIDY.test(path)) return path;
  const kept: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") kept.pop();
    else if (name !== "" && name !== ".") kept.push(name);
  }
  return `/${kept.join("/")}`;
}

export function isInside(path: string, directory: string): boolean {
  if (!path.startsWith(directory)) return false;
  return path.length === directory.length || path[directory.length] === "/" || directory.endsWith("/");
}

export function isInsideAny(path: string, directories: readonly string[]): boolean {
  return directories.some((directory) => isInside(path, directory));
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
