import { READABLE_SHELLS, ZSH_NAMES } from "../catalog/index.ts";
import { basename, makeEffect } from "../model/index.ts";
import { type Draft, markOpaque } from "../shell/index.ts";

/**
 * Forms that zsh reads differently: `=name` is a program's path, `$x[…]` and `$x:…` are parts of x, a redirect without
 * a command runs a pager, and some arrays are tied to variables. Searched in the whole text, quoted or not.
 */
const NOT_ZSH: readonly { readonly what: string; readonly test: RegExp }[] = [
  { what: "a word that begins with =", test: /(?:^|[\s;&|(])=[^\s=]/ },
  { what: "a subscript or modifier of a variable", test: /\$(?:\w+|[@*#?$!-])[[:]/ },
  { what: "a redirect without a command", test: /(?:^|[;&|({\n]|\b(?:do|then|else|time)\b)[ \t]*\d{0,9}[<>](?!\()/ },
  { what: "a variable that it ties to another", test: new RegExp(`\\b(?:${ZSH_NAMES.join("|")})\\+?=`) },
  { what: "an array that it counts from one", test: /\[\d+\]/ },
  { what: "a comparison that it evaluates", test: /\s-(?:eq|ne|lt|le|gt|ge)\s/ },
];

/** Reports whether the command's shell is one whose variables and functions aren't followed. */
export function isForeign(shell: string | undefined): boolean {
  return shell !== undefined && !READABLE_SHELLS.includes(basename(shell));
}

/** Adds effects for text that the command's shell may read differently than bash. */
export function judgeReader(draft: Draft, command: string): void {
  const shell = basename(draft.machine.shell ?? "bash");
  const span = { pos: 0, end: command.length };
  const doubt = (what: string) => {
    const sentence = `Contains ${what}, which ${shell} may read differently than bash`;
    draft.loose.push(makeEffect(span, { kind: "obfuscation", ruleId: "shell.other", sentence }));
  };
  if (shell === "bash") return;
  if (shell === "zsh") {
    for (const { what, test } of NOT_ZSH) if (test.test(command)) doubt(what);
  } else if (!READABLE_SHELLS.includes(shell))
    markOpaque(draft, span, `Is run by ${shell}, whose syntax Countersign doesn't read`);
  else if (NOT_POSIX.test(command.replaceAll("\\\n", ""))) doubt("syntax");
}

/**
 * Forms that a POSIX sh reads differently: `a &> b` runs a in the background, the 10 of `a 10> b` is an operand because
 * only one digit is a descriptor, braces are text, and `export a=$b` splits b's value.
 */
export const NOT_POSIX =
  /\$['"[]|[&<>]\(|&>|\|&|<<<|\[\[|\(\(|\b(function|time|local|declare|typeset|export|readonly|let|source|mapfile|readarray|pushd|popd)\b|\d\d[<>]|[<>]&\d\d|\w\+=|=\(|\{[^}\s]{0,99}(,|\.\.)|\$\{\w*(?:[/^,@![]|:[^-=?+])|\[@\]/;
