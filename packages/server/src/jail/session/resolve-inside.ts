import { closeSync, readlinkSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { isInside } from "../../machine/trusted-path.ts";
import { openBeneath, openWithoutLinks, SyscallError } from "../syscalls.ts";
import { makeBeneath } from "./make-beneath.ts";

/** As many as the kernel follows. */
const MAX_LINKS = 40;

export type Resolved =
  | { readonly kind: "directory"; readonly path: string }
  /** Nothing was looked up there: not even whether there is something. */
  | { readonly kind: "outside" }
  /** A system error's name. */
  | { readonly kind: "none"; readonly why: string };

/**
 * A directory's path without links, where all that lead there stay in these trees: each part is opened in the one before, and a link is read, never
 * followed. The trees are real. With `make`, what is missing is made.
 */
export function resolveInside(asked: string, trees: readonly string[], { make }: { readonly make: boolean }): Resolved {
  let path = resolve(asked);
  for (let links = 0; links <= MAX_LINKS; links += 1) {
    const tree = trees.filter((one) => isInside(path, one)).toSorted((a, b) => b.length - a.length)[0];
    if (tree === undefined) return { kind: "outside" };
    const found = walk(tree, relative(tree, path), make);
    if (found === undefined) return { kind: "directory", path };
    if ("why" in found) return { kind: "none", why: found.why };
    path = found.link;
  }
  return { kind: "none", why: "ELOOP" };
}

/** Undefined where it is one all the way. */
function walk(
  tree: string,
  path: string,
  make: boolean,
): { readonly link: string } | { readonly why: string } | undefined {
  const opened: number[] = [];
  try {
    opened.push(openWithoutLinks(tree));
    const parts = path === "" ? [] : path.split("/");
    for (const [n, name] of parts.entries()) {
      const link = enter(opened, name, make);
      if (link !== undefined) return { link: resolve(join(tree, ...parts.slice(0, n)), link, ...parts.slice(n + 1)) };
    }
    return undefined;
  } catch (cause) {
    const why = cause instanceof SyscallError ? cause.errno : (cause as NodeJS.ErrnoException).code;
    if (why === undefined) throw cause;
    return { why };
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/** Goes one further, or tells where a link would lead. */
function enter(opened: number[], name: string, make: boolean): string | undefined {
  const here = opened.at(-1) as number;
  try {
    opened.push(make ? makeBeneath(here, name) : openBeneath(here, name));
    return undefined;
  } catch (cause) {
    // Of a link that isn't to be followed the kernel says either.
    if (!(cause instanceof SyscallError) || !["ELOOP", "ENOTDIR"].includes(cause.errno)) throw cause;
    return linkAt(`/proc/self/fd/${here}/${name}`) ?? raise(cause);
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EINVAL") return undefined;
    throw cause;
  }
}

function raise(cause: unknown): never {
  throw cause;
}
