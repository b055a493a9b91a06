import { INTERPRETERS, RUNNERS, SHELLS } from "./programs.ts";

/** A program that runs code of the project, which can change while the command stays the same. */
export interface CodeRule {
  readonly names: readonly string[];
  /** Files that may contain the code; the first that exists runs. */
  readonly files: readonly string[];
  /** Searches the directories above too. */
  readonly climbs?: true;
  /** Options whose value is the file to run instead. */
  readonly instead?: readonly string[];
  /** Options that make it search elsewhere. */
  readonly elsewhere?: readonly string[];
}

export const CODE_RULES: readonly CodeRule[] = [
  {
    names: ["make", "gmake"],
    files: ["GNUmakefile", "makefile", "Makefile"],
    instead: ["-f", "--file", "--makefile"],
    elsewhere: ["-C", "--directory", "-I", "--include-dir"],
  },
  {
    names: ["npm", "pnpm", "yarn", "bun"],
    files: ["package.json"],
    climbs: true,
    elsewhere: ["-C", "--prefix", "--cwd", "--dir", "-w", "--workspace", "-ws", "--workspaces", "--filter", "-F", "-r"],
  },
  {
    names: ["just"],
    files: ["justfile", "Justfile", ".justfile"],
    climbs: true,
    instead: ["-f", "--justfile"],
    elsewhere: ["-d", "--working-directory"],
  },
  {
    names: ["rake"],
    files: ["rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"],
    climbs: true,
    instead: ["-f", "--rakefile"],
  },
  { names: ["ninja"], files: ["build.ninja"], instead: ["-f"], elsewhere: ["-C"] },
  { names: ["composer"], files: ["composer.json"], elsewhere: ["-d", "--working-dir"] },
  { names: ["mvn"], files: ["pom.xml"], instead: ["-f", "--file"] },
];

/** Programs whose first word is the file that they run. */
export const RUNS_FILE: readonly string[] = [...INTERPRETERS, "tsx", "ts-node"];

/** Programs that run code from a package registry or from dependencies, so there is no file to pin. */
export const RUNS_PACKAGE: readonly string[] = RUNNERS.filter((name) => !RUNS_FILE.includes(name));

/** Options whose value is the program's text. */
export const INLINE_CODE: readonly { readonly names: readonly string[]; readonly option: string }[] = [
  { names: SHELLS, option: "^-[A-Za-z]*c$" },
  { names: ["python", "python2", "python3"], option: "^-c$" },
  { names: ["node", "nodejs", "bun"], option: "^(-e|-p|--eval|--print)$" },
  { names: ["perl", "ruby", "lua", "Rscript"], option: "^-[a-z]*[eE]$" },
  { names: ["php"], option: "^-r$" },
];
