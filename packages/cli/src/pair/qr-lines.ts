import { encode } from "uqr";

/** ISO/IEC 18004, 6.3.8: readers need four light modules around it. */
const QUIET = 4;
/** Black on bright white, whatever the terminal's own colours are: a reader needs dark on light. */
const COLOURS = "\u001b[30;107m";
const PLAIN = "\u001b[0m";

/** Two modules stand in one character, one above the other. */
export function qrLines(text: string): string[] {
  const { data } = encode(text, { ecc: "L", border: QUIET });
  const rows: string[] = [];
  for (let y = 0; y < data.length; y += 2) {
    const cells = (data[y] ?? []).map((upper, x) => cell(upper, data[y + 1]?.[x] ?? false));
    rows.push(`${COLOURS}${cells.join("")}${PLAIN}`);
  }
  return rows;
}

function cell(upper: boolean, lower: boolean): string {
  if (upper) return lower ? "█" : "▀";
  return lower ? "▄" : " ";
}
