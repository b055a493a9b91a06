import { type DangerPattern, danger, runsOther } from "./danger-pattern.ts";

/** Builtins by which the shell loads code, runs text later, or stops keeping its history. */
export const SHELL_DANGERS: readonly DangerPattern[] = [
  danger({
    id: "history.off",
    programs: ["unset", "set", "shopt"],
    words: ["HISTFILE", "HISTSIZE", "HISTFILESIZE", "history"],
    unless: { words: ["-o", "-s"] },
    kind: "obfuscation",
    says: "stops keeping the shell history",
    matches: ["unset HISTFILE", "set +o history"],
    misses: ["unset FOO", "set -o history", "set -e"],
  }),
  runsOther({
    id: "builtin.loads",
    programs: ["enable"],
    flags: "f",
    says: "loads code into the shell",
    matches: ["enable -f ./x.so x"],
    misses: ["enable -n test", "enable"],
  }),
  runsOther({
    id: "builtin.remembers",
    programs: ["hash"],
    flags: "p",
    says: "makes a name stand for another program",
    matches: ["hash -p /tmp/x ls"],
    misses: ["hash -r", "hash"],
  }),
  runsOther({
    id: "builtin.runs-later",
    programs: ["bind", "complete", "compgen", "mapfile", "readarray"],
    flags: "xC",
    valued: "dnOsut",
    and: { form: "\\b(rm|sudo|curl|wget|sh|bash|zsh|nc|eval|python3?|perl|dd|mkfs)\\b" },
    says: "keeps text that the shell runs later",
    matches: ["bind -x '\"\\C-l\": rm x'", "complete -C 'rm x' y", "mapfile -C 'rm x' -c 1 a"],
    misses: ["mapfile -t a", "mapfile -C echo a", "complete -p"],
  }),
];
