import { INTERPRETERS, RUNNERS, SHELLS } from "./programs.ts";

/** A program that runs code out of the project, which can change while the command stays the same. */
export interface CodeRule {
  readonly names: readonly string[];
  /** Where the code is, looked for in this order: the first that exists is what runs. */
  readonly files: readonly string[];
  /** Looked for in the directories above too. */
  readonly climbs?: true;
  /** Options whose value is the file to run instead. */
  readonly instead?: readonly string[];
  /** Options that make it look somewhere else. */
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

/** Their first word is the file that they run. */
export const RUNS_FILE: readonly string[] = [...INTERPRETERS, "tsx", "ts-node"];

/** They run what a package registry or a project's dependencies give them: there's no file to hold. */
export const RUNS_PACKAGE: readonly string[] = RUNNERS.filter((name) => !RUNS_FILE.includes(name));

/** The program's text is in the words themselves. */
export const INLINE_CODE: readonly { readonly names: readonly string[]; readonly option: string }[] = [
  { names: SHELLS, option: "^-[A-Za-z]*c$" },
  { names: ["python", "python2", "python3"], option: "^-c$" },
  { names: ["node", "nodejs", "bun"], option: "^(-e|-p|--eval|--print)$" },
  { names: ["perl", "ruby", "lua", "Rscript"], option: "^-[a-z]*[eE]$" },
  { names: ["php"], option: "^-r$" },
];
