/** One word as bash reads it back, byte for byte, wherever it stands. Without NUL, which no word of bash can hold. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
