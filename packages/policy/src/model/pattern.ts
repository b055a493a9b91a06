const LETTER = /[a-z]/i;

/** Compiles a pattern of the catalogue. Node 22 and older browsers don't know `(?i:rm)`, so it is compiled as `(?:[rR][mM])`. */
export function compilePattern(source: string): RegExp {
  return new RegExp(source.includes("(?i:") ? spellOutCases(source) : source);
}

function spellOutCases(source: string): string {
  // For each open group whether case is ignored in it.
  const groups: boolean[] = [];
  let isInClass = false;
  let out = "";
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at] ?? "";
    const ignores = groups.at(-1) ?? false;
    if (char === "\\") {
      out += source.slice(at, at + 2);
      at += 1;
    } else if (isInClass) {
      const range = ignores ? (/^[a-z]-[a-z]/i.exec(source.slice(at, at + 3))?.[0] ?? char) : char;
      out += ignores && LETTER.test(char) ? range + swapCase(range) : char;
      at += range.length - 1;
      isInClass = char !== "]";
    } else if (source.startsWith("(?i:", at)) {
      groups.push(true);
      out += "(?:";
      at += 3;
    } else {
      if (char === "(") groups.push(ignores);
      if (char === ")") groups.pop();
      isInClass = char === "[";
      out += ignores && LETTER.test(char) ? `[${char}${swapCase(char)}]` : char;
    }
  }
  return out;
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
