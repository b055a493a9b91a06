const EVERY_MS = 200;

/** One line on a terminal that tells how far it is, how fast, and how long it takes; nothing anywhere else. */
export class Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #fraction: () => number;
  readonly #startedMs = performance.now();
  #shownMs = 0;

  constructor(stream: NodeJS.WriteStream, fraction: () => number) {
    this.#stream = stream;
    this.#fraction = fraction;
  }

  show(count: number): void {
    const nowMs = performance.now();
    if (!this.#stream.isTTY || nowMs - Math.max(this.#shownMs, this.#startedMs) < EVERY_MS) return;
    this.#shownMs = nowMs;
    const elapsedMs = nowMs - this.#startedMs;
    this.#stream.write(`\r\u001b[K${progressLine({ count, elapsedMs, fraction: this.#fraction() })}`);
  }

  /** Takes the line away. */
  end(): void {
    if (this.#shownMs > 0) this.#stream.write("\r\u001b[K");
  }
}

export function progressLine({
  count,
  elapsedMs,
  fraction,
}: {
  count: number;
  elapsedMs: number;
  fraction: number;
}): string {
  const rate = Math.round((count / Math.max(1, elapsedMs)) * 1_000);
  const leftS = fraction > 0 ? Math.ceil((elapsedMs * (1 - fraction)) / fraction / 1_000) : Number.NaN;
  const left = Number.isNaN(leftS) ? "" : `, ${timeWords(leftS)} left`;
  return `${grouped(count)} verified (${Math.floor(fraction * 100)} %), ${grouped(rate)} a second${left}`;
}

function timeWords(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

function grouped(value: number): string {
  return value.toLocaleString("en-GB");
}
