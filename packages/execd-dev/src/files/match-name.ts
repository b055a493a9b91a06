/**
 * Whether a name fits a glob: `*`, `**` and `?`, sets in brackets, alternatives in braces, `\` before what is meant as it is. Goes back to its last star alone: a
 * pattern can't make it take longer than name times pattern.
 */
export function matchName(pattern: string, name: string): boolean {
  return alternatives(pattern).some((one) => fits(tokensOf(one), [...name]));
}

type Token = { readonly kind: "star" } | { readonly kind: "one"; is(letter: string): boolean };

const MAX_ALTERNATIVES = 1_000;

function fits(tokens: readonly Token[], letters: readonly string[]): boolean {
  let at = 0;
  let star: { token: number; letter: number } | undefined;
  for (let index = 0; index < letters.length; ) {
    const token = tokens[at];
    if (token?.kind === "star") {
      star = { token: at, letter: index };
      at += 1;
    } else if (token?.is(letters[index] as string)) {
      at += 1;
      index += 1;
    } else if (star) {
      star.letter += 1;
      index = star.letter;
      at = star.token + 1;
    } else return false;
  }
  return tokens.slice(at).every(({ kind }) => kind === "star");
}

function tokensOf(pattern: string): Token[] {
  const letters = [...pattern];
  const tokens: Token[] = [];
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters[at] as string;
    const end =
      letter === "[" ? letters.indexOf("]", at + (letters[at + 1] === "^" || letters[at + 1] === "!" ? 3 : 2)) : -1;
    if (letter === "*") tokens.push({ kind: "star" });
    else if (letter === "?") tokens.push({ kind: "one", is: () => true });
    else if (end !== -1) {
      tokens.push({ kind: "one", is: setOf(letters.slice(at + 1, end)) });
      at = end;
    } else {
      if (letter === "\\") at += 1;
      const wanted = letters[at] ?? "\\";
      tokens.push({ kind: "one", is: (found) => found === wanted });
    }
  }
  return tokens;
}

function setOf(set: readonly string[]): (letter: string) => boolean {
  const isNot = set[0] === "^" || set[0] === "!";
  const body = isNot ? set.slice(1) : set;
  return (letter) => {
    for (let at = 0; at < body.length; at += 1) {
      const from = body[at] as string;
      const to = body[at + 1] === "-" && at + 2 < body.length ? (body[at + 2] as string) : from;
      if (letter >= from && letter <= to) return !isNot;
      if (to !== from) at += 2;
    }
    return isNot;
  };
}

/** Braces, from the inside. */
function alternatives(pattern: string): string[] {
  let done = [pattern];
  for (;;) {
    const next = done.flatMap((one) => {
      const found = /(?<!\\)\{([^{}]*)\}/.exec(one);
      if (!found) return [one];
      const [whole, inside = ""] = found;
      const before = one.slice(0, found.index);
      const after = one.slice(found.index + whole.length);
      return inside.split(",").map((part) => `${before}${part}${after}`);
    });
    if (next.length === done.length && next.every((one, at) => one === done[at])) return done;
    if (next.length > MAX_ALTERNATIVES) return done;
    done = next;
  }
}
