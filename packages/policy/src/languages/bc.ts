/** Numbers, names, operators, statements and strings; a `!` on its own runs a program where bc stands on dc. */
const BC = /^(?:[\w\s+\-*/%^().;,=<>&|{}[\]#$:]|!=|"[^"\\]*")*$/;
/** Numbers, arithmetic, the stack, printing and registers; no macros, which are code, no input and no `!`. */
const DC = /^(?:[\d\sA-F_.+\-*/%^|~vpnfcdrkioKIOzZX]|[slSL][a-z])*$/;

/** Why an expression for bc isn't plain arithmetic. */
export function findBcProblem(text: string): string | undefined {
  return BC.test(text) ? undefined : "Gives bc a program that can't be read with certainty";
}

/** Why an expression for dc isn't plain arithmetic. */
export function findDcProblem(text: string): string | undefined {
  if (text.includes("!")) return "Gives dc a program that runs other programs";
  return DC.test(text) ? undefined : "Gives dc a program that can't be read with certainty";
}
