import { closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { isInside } from "@countersign/core/host/fs";
import { openBeneath, openWithoutLinks, SystemError } from "@countersign/native";
import { identityOf, JailError } from "../base/index.ts";
import { asOwner, type Owner, ownerOf } from "./as-owner.ts";
import { makeBeneath } from "./make-beneath.ts";

/** As many as the kernel follows. */
const MAX_LINKS = 40;
/** As long as the kernel takes it, and so no deeper than that. */
export const LONGEST_PATH = 4_000;

/** Which of all things that bear its name was found, and with whose rights; see `MappedPath`. */
export interface FoundDirectory {
  readonly identity: string;
  readonly owner: Owner | undefined;
}

export type Resolved =
  | ({ readonly kind: "directory"; readonly path: string } & FoundDirectory)
  /** Nothing was looked up there: not even whether there is something. */
  | { readonly kind: "outside" }
  /** A system error's name. */
  | { readonly kind: "none"; readonly why: string };

/**
 * A directory's path without links, where all that lead there stay in these trees: each part is opened in the one before, and a link is read, never
 * followed. The trees are real. With `make`, what is missing is made. All of it with the rights of the tree's owner: what a command there couldn't come to
 * isn't had by naming it.
 */
export function resolveInside(asked: string, trees: readonly string[], { make }: { readonly make: boolean }): Resolved {
  let path = resolve(asked);
  for (let links = 0; links <= MAX_LINKS; links += 1) {
    const tree = trees.filter((one) => isInside(path, one)).toSorted((a, b) => b.length - a.length)[0];
    if (tree === undefined) return { kind: "outside" };
    if (path.length > LONGEST_PATH) return { kind: "none", why: "ENAMETOOLONG" };
    const found = walk(tree, relative(tree, path), make);
    if ("identity" in found) return { kind: "directory", path, ...found };
    if ("why" in found) return { kind: "none", why: found.why };
    path = found.link;
  }
  return { kind: "none", why: "ELOOP" };
}

type Stopped = { readonly link: string } | { readonly why: string };

function walk(tree: string, path: string, make: boolean): FoundDirectory | Stopped {
  let here: number | undefined;
  try {
    const top = openWithoutLinks(tree);
    here = top;
    const parts = path === "" ? [] : path.split("/");
    const owner = ownerOf(top);
    return asOwner(owner, () => {
      for (const [n, name] of parts.entries()) {
        const next = enter(here as number, name, make);
        if (typeof next === "string")
          return { link: resolve(join(tree, ...parts.slice(0, n)), next, ...parts.slice(n + 1)) };
        closeSync(here as number);
        here = next;
      }
      tryToLookInto(here as number);
      return { identity: identityOf(fstatSync(here as number, { bigint: true })), owner };
    });
  } catch (cause) {
    if (cause instanceof JailError) throw cause;
    const why = (cause as SystemError | NodeJS.ErrnoException).code;
    if (why === undefined) throw cause;
    return { why };
  } finally {
    if (here !== undefined) closeSync(here);
  }
}

/** What is laid over a directory, or serves its files, would tell what is in it. Throws where its owner's rights don't do. */
function tryToLookInto(directory: number): void {
  closeSync(openBeneath(directory, "."));
  closeSync(openSync(`/proc/self/fd/${directory}`, constants.O_RDONLY | constants.O_DIRECTORY));
}

/** Goes one further, or tells where a link would lead. */
function enter(here: number, name: string, make: boolean): number | string {
  try {
    return make ? makeBeneath(here, name) : openBeneath(here, name);
  } catch (cause) {
    // Of a link that isn't to be followed the kernel says either.
    if (!(cause instanceof SystemError) || !["ELOOP", "ENOTDIR"].includes(cause.code)) throw cause;
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
