import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { ExecdError } from "../http/index.ts";
import { goErrno } from "./go-words.ts";
import { OutsideError, type Tree } from "./tree.ts";

/** Where things are, as whoever asks names them. */
export class Surroundings {
  readonly #base: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #tree: Tree;

  constructor(base: string, env: Readonly<Record<string, string>>, tree: Tree) {
    this.#base = base;
    this.#env = env;
    this.#tree = tree;
  }

  /** What a process starts with: that of the server, and over it what was asked for. */
  env(over: ReadonlyMap<string, string> = new Map()): Record<string, string> {
    return { ...this.#env, ...Object.fromEntries(over) };
  }

  /** A path with its variables and `~` put in, which must be known. */
  path(asked: string): string {
    const missing = new Set<string>();
    const expanded = asked.replace(VARIABLE, (whole, braced: string | undefined, plain: string | undefined) => {
      const name = braced ?? plain ?? "";
      const value = this.#env[name];
      if (value === undefined) missing.add(name);
      return value ?? whole;
    });
    if (missing.size > 0) {
      const names = [...missing].sort().join(",");
      throw new Error(`path references undefined environment variables: ${names}`);
    }
    if (expanded.includes("\0")) throw new Error("invalid argument");
    const home = this.#env.HOME ?? homedir();
    if (expanded === "~") return home;
    return resolve(this.#base, expanded.startsWith("~/") ? `${home}/${expanded.slice(2)}` : expanded);
  }

  /** A directory that a process can be in; that of the server where none is named. */
  directory(asked: string): string {
    if (asked === "") return this.#base;
    let path: string | undefined;
    try {
      path = this.path(asked);
      if (!this.#isDirectory(path)) throw refused(`working directory path is not a directory: ${asked}`);
      return path;
    } catch (cause) {
      if (cause instanceof ExecdError) throw cause;
      if (cause instanceof OutsideError) throw new ExecdError(403, "OUTSIDE_WORKSPACE", cause.message, { cause });
      const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT";
      const said = isMissing
        ? `working directory does not exist: ${asked}`
        : `cannot access working directory ${JSON.stringify(asked)}`;
      throw refused(`${said}: ${goErrno(cause, path)}`);
    }
  }

  #isDirectory(path: string): boolean {
    const place = this.#tree.find(path, { follow: true });
    try {
      return statSync(place.path).isDirectory();
    } finally {
      place.close();
    }
  }
}

const VARIABLE = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;

function refused(reason: string): ExecdError {
  return new ExecdError(400, "INVALID_REQUEST_BODY", `invalid request, validation error ${reason}`);
}
