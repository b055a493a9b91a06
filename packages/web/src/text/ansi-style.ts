/** The style that an agent may choose. Colours are indexes of the 16 ANSI colours; -1 is the page's own. */
export interface AnsiStyle {
  readonly fg: number;
  readonly bg: number;
  readonly flags: number;
}

export const PLAIN: AnsiStyle = { fg: -1, bg: -1, flags: 0 };

const FLAGS = { bold: 1, dim: 2, italic: 4, underline: 8, inverse: 16, strike: 32 } as const;
const SHOWN = ["bold", "dim", "italic", "underline", "strike"] as const;

/** SGR codes that set a flag, and those that clear some. Blinking and concealment are ignored: nothing may be hidden. */
const SETS = new Map([
  [1, FLAGS.bold],
  [2, FLAGS.dim],
  [3, FLAGS.italic],
  [4, FLAGS.underline],
  [7, FLAGS.inverse],
  [9, FLAGS.strike],
  [21, FLAGS.underline],
]);
const CLEARS = new Map([
  [22, FLAGS.bold | FLAGS.dim],
  [23, FLAGS.italic],
  [24, FLAGS.underline],
  [27, FLAGS.inverse],
  [29, FLAGS.strike],
]);

/** Returns the style after `ESC [ … m` (ECMA-48, 8.3.117). Ignores unknown codes. */
export function applySgr(style: AnsiStyle, params: string): AnsiStyle {
  const codes = params.split(";").flatMap(numbersOf);
  let next = style;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] as number;
    if (code === 38 || code === 48) {
      const { colour, used } = extendedColour(codes.slice(at + 1, at + 7));
      if (colour !== undefined) next = code === 38 ? { ...next, fg: colour } : { ...next, bg: colour };
      at += used;
    } else next = applyCode(next, code);
  }
  return next;
}

/** Parses `38:2:<space>:r:g:b`, a colour with an ignored colour space (ITU-T T.416), and `4:3`, a kind of underline. */
function numbersOf(part: string): number[] {
  const [code = 0, ...more] = part.split(":").map(Number);
  if (code !== 38 && code !== 48) return [code];
  return [code, ...(more.length > 4 ? [more[0] as number, ...more.slice(2)] : more)];
}

function applyCode(style: AnsiStyle, code: number): AnsiStyle {
  if (code === 0) return PLAIN;
  if (code === 39) return { ...style, fg: -1 };
  if (code === 49) return { ...style, bg: -1 };
  if (code >= 30 && code <= 37) return { ...style, fg: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, fg: code - 82 };
  if (code >= 40 && code <= 47) return { ...style, bg: code - 40 };
  if (code >= 100 && code <= 107) return { ...style, bg: code - 92 };
  return { ...style, flags: (style.flags | (SETS.get(code) ?? 0)) & ~(CLEARS.get(code) ?? 0) };
}

/** Maps `5;n` or `2;r;g;b` to the nearest of the 16 colours, so that the page's palette stays readable. */
function extendedColour(codes: readonly number[]): { readonly colour?: number; readonly used: number } {
  const [kind, first = 0, second = 0, third = 0] = codes;
  if (kind === 5) return { colour: indexedColour(first), used: 2 };
  if (kind === 2) return { colour: nearest([first, second, third]), used: 4 };
  return { used: 1 };
}

function indexedColour(index: number): number {
  if (!(index >= 16)) return index >= 0 ? index : 0;
  if (index >= 232) return nearest(Array.from({ length: 3 }, () => 8 + (Math.min(index, 255) - 232) * 10));
  const cube = index - 16;
  return nearest(
    [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((step) => (step ? 55 + step * 40 : 0)),
  );
}

/** The 16 colours of terminals: dark, then bright; black, red, green, yellow, blue, magenta, cyan, white. */
const PALETTE = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].map((index) => {
  if (index === 8) return [127, 127, 127];
  const full = index > 8 ? 255 : index === 7 ? 229 : 205;
  return [1, 2, 4].map((bit) => (index & bit ? full : 0));
});

function nearest(wanted: readonly number[]): number {
  const distances = PALETTE.map((colour) => {
    return colour.reduce((sum, part, channel) => sum + (part - Math.min(wanted[channel] ?? 0, 255)) ** 2, 0);
  });
  return distances.indexOf(Math.min(...distances));
}

/** Returns class names from a closed set. Text never has the colour of its background. */
export function classesOf({ fg, bg, flags }: AnsiStyle): string {
  const inverse = (flags & FLAGS.inverse) !== 0;
  const [front, back] = inverse ? [bg, fg] : [fg, bg];
  const names: string[] = SHOWN.filter((name) => flags & FLAGS[name]).map((name) => `ansi-${name}`);
  if (inverse && front < 0 && back < 0) names.push("ansi-inverse");
  if (front >= 0 && front !== back) names.push(`ansi-fg-${front}`);
  if (back >= 0) names.push(`ansi-bg-${back}`);
  return names.join(" ");
}
