/** Of a block: 4 KiB, of which some thousand different trigrams set a sixth. */
const BITS = 15;
const BYTES = 2 ** BITS / 8;

/** A bit for each three characters in a row that are somewhere in the text, so that most blocks needn't be read to know that they lack a word. */
export function trigramsOf(text: string): Uint8Array {
  const bits = new Uint8Array(BYTES);
  for (const bit of trigramBits(text)) bits[bit >>> 3] = (bits[bit >>> 3] as number) | (1 << (bit & 7));
  return bits;
}

/** The bits that a text with this word has set; none for a word of less than three characters. */
export function trigramBits(word: string): Uint16Array {
  const count = Math.max(0, word.length - 2);
  const bits = new Uint16Array(count);
  for (let at = 0; at < count; at += 1) {
    const mixed = word.charCodeAt(at) * 0x9e37 + word.charCodeAt(at + 1) * 0x85eb + word.charCodeAt(at + 2);
    bits[at] = Math.imul(mixed, 0x9e3779b1) >>> (32 - BITS);
  }
  return bits;
}

/** False: the word is in none of its texts. True says little. */
export function mayHave(trigrams: Uint8Array, bits: Uint16Array): boolean {
  for (const bit of bits) if (((trigrams[bit >>> 3] as number) & (1 << (bit & 7))) === 0) return false;
  return true;
}
