import type { Random } from "../generate/random.ts";

/** Ways to put harmless commands together: the whole must do no more than its pieces. */
const FORMS: readonly ((a: string, b: string) => string)[] = [
  (a, b) => `${a} | ${b}`,
  (a, b) => `${a} && ${b}`,
  (a, b) => `${a}; ${b}`,
  (a, b) => `${a} || ${b}`,
  (a, b) => `(${a}); { ${b}; }`,
  (a) => `echo "$(${a})"`,
  (a, b) => `x=$(${a}); ${b}`,
  (a) => `for f in *.txt; do ${a}; done`,
  (a, b) => `if ${a}; then ${b}; fi`,
  (a) => `timeout 2 ${a}`,
  (a) => `nice ${a}`,
  (a) => `env LC_ALL=C ${a}`,
  (a) => `${a} 2>&1 | head -5`,
  (a) => `${a} > /dev/null 2>&1`,
  (a) => `f() { ${a}; }; f`,
  (a, b) => `diff <(${a}) <(${b})`,
  (a) => `bash -c '${a.replaceAll("'", `'\\''`)}'`,
  (a) => `cat <<EOF\n$(${a})\nEOF`,
  (a) => `${a} | while read -r line; do echo "$line"; done`,
  (a) => `${a} | xargs echo`,
];

/** Changes that turn a harmless command into another one; what is still called safe must be. */
const TWISTS: readonly ((a: string) => string)[] = [
  (a) => `${a} -o out.txt`,
  (a) => `${a} --output=out.txt`,
  (a) => `${a} out.txt`,
  (a) => `${a} *`,
  (a) => `${a} $(echo x)`,
  (a) => `X=1 ${a}`,
  (a) => a.replace(" ", " -- "),
  (a) => a.replace(/ (\S)/, " \\\n$1"),
  (a) => a.replaceAll("'", '"'),
  (a) => `${a} -i`,
  (a) => `${a} -w out.txt`,
  (a) => `${a} >&2`,
  (a) => `${a} < a`,
];

export function composeCommands(random: Random, pieces: readonly string[], count: number): string[] {
  return Array.from({ length: count }, () => {
    const first = random.chance(0.3) ? random.pick(TWISTS)(random.pick(pieces)) : random.pick(pieces);
    return random.pick(FORMS)(first, random.pick(pieces));
  });
}
