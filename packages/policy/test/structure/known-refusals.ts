/** Forms that bash refuses and the parser takes. Nothing of them runs, so nothing is hidden; they only aren't opaque. */
const KNOWN: readonly { readonly form: RegExp; readonly why: string }[] = [
  {
    form: /\|&?(?:[ \t]|\\\n)*\n[\s\\]*time\b/,
    why: "time after a pipe and a line end is a reserved word without a command",
  },
  {
    form: /<<[\s\S]*\|&?(?:[ \t]|\\\n)*\n[\s\S]*\n[\s\\]*time\b/,
    why: "the same, where the text of a here-document stands between",
  },
  { form: /\[\[/, why: "tests with operators in odd places" },
  { form: /\(\(/, why: "arithmetic that isn't closed properly" },
  { form: /;[\s\\]*;|&[\s\\]*;|\n[\s\\]*;/, why: "an empty command before a separator" },
  { form: /\$\[/, why: "arithmetic in brackets that isn't closed" },
  { form: /[<>]&?(?:[ \t]|\\\n)*\\$/, why: "a redirect whose target is a backslash at the very end" },
  { form: /function/, why: "a function whose name holds an operator" },
];

export function isKnownRefusal(command: string): boolean {
  return KNOWN.some(({ form }) => form.test(command));
}
