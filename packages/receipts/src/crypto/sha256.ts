/**
 * SHA-256 (FIPS 180-4) where no other synchronous one is at hand: SubtleCrypto only promises a digest, and a tree of a
 * million leaves asks for two million of them. Held against node:crypto by its test.
 */
export function sha256(message: Uint8Array): Uint8Array {
  const state = Uint32Array.from(START);
  const padded = pad(message);
  const view = new DataView(padded.buffer);
  const words = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    schedule(words, view, at);
    compress(state, words);
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => {
    digest.setUint32(index * 4, word);
  });
  return new Uint8Array(digest.buffer);
}

/** The message, a one bit, zeros, and the length in bits as 64: whole blocks of 64 bytes. */
function pad(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64);
  padded.set(message);
  padded[message.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  return padded;
}

function schedule(words: Uint32Array, view: DataView, at: number): void {
  for (let t = 0; t < 16; t += 1) words[t] = view.getUint32(at + t * 4);
  for (let t = 16; t < 64; t += 1) {
    const w15 = words[t - 15] as number;
    const w2 = words[t - 2] as number;
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
    words[t] = ((words[t - 16] as number) + s0 + (words[t - 7] as number) + s1) | 0;
  }
}

function compress(state: Uint32Array, words: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t += 1) {
    const big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const one = (h + big1 + choice + (ROUND[t] as number) + (words[t] as number)) | 0;
    const big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + big0 + majority) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] = (state[index] as number) + word;
  });
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** The first 32 bits of the fractional parts of the cube roots (64 primes) and square roots (8 primes). */
const PRIMES = firstPrimes(64);
const ROUND = Uint32Array.from(PRIMES, (prime) => fraction(prime, 3n));
const START = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fraction(prime, 2n));

function firstPrimes(count: number): bigint[] {
  const primes: bigint[] = [];
  for (let next = 2n; primes.length < count; next += 1n) {
    if (primes.every((prime) => next % prime !== 0n)) primes.push(next);
  }
  return primes;
}

/** floor(root(prime) × 2^32) mod 2^32, by bisection in whole numbers. */
function fraction(prime: bigint, root: bigint): number {
  const target = prime << (32n * root);
  let low = 0n;
  let high = prime << 32n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle ** root <= target) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn);
}
