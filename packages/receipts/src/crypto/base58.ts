const LETTERS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** Time grows with the square of the length: nothing of ours is longer than a key and its prefix. */
const MAX_LETTERS = 128;

/** base58btc: the number in base 58, and a "1" for every leading zero byte. */
export function toBase58(bytes: Uint8Array): string {
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = "";
  for (; number > 0n; number /= 58n) text = LETTERS[Number(number % 58n)] + text;
  return "1".repeat(leading(bytes, 0)) + text;
}

/** null: a letter outside the alphabet, or too many. */
export function fromBase58(text: string): Uint8Array | null {
  if (text.length > MAX_LETTERS) return null;
  const values = [...text].map((letter) => LETTERS.indexOf(letter));
  if (values.includes(-1)) return null;
  let number = values.reduce((sum, value) => sum * 58n + BigInt(value), 0n);
  const bytes: number[] = [];
  for (; number > 0n; number /= 256n) bytes.unshift(Number(number % 256n));
  return Uint8Array.from([...Array<number>(leading(values, 0)).fill(0), ...bytes]);
}

function leading(values: ArrayLike<number>, value: number): number {
  let count = 0;
  while (count < values.length && values[count] === value) count += 1;
  return count;
}
