/** Nothing in here means anything to bash, wherever the word stands. */
const PLAIN = /^[A-Za-z0-9_@+:,./-]+$/;

/** Plain words that bash reads as its own where a command begins. */
const RESERVED = new Set(
  "if then elif else fi time for in until while do done case esac coproc select function".split(" "),
);

/** A command line that bash splits into exactly these words. */
export function quoteWords(words: readonly string[]): string {
  return words
    .map((word, index) => (PLAIN.test(word) && !(index === 0 && RESERVED.has(word)) ? word : quoteWord(word)))
    .join(" ");
}

/** One word as bash reads it back, byte for byte, wherever it stands. Without NUL, which no word of bash can hold. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
