/**
 * Whether a double says exactly what the literal says: 1e400, 9007199254740993 and 0.10000000000000001 would each come
 * back as another number. Held against ECMAScript's shortest text, notation apart, so that 1.0, 10e-1 and 1 are one.
 */
export function isExactNumber(literal: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  // Fifteen significant digits always survive; the usual case, and the fast one.
  if (SHORT_INTEGER.test(literal)) return true;
  return digitsOf(literal) === digitsOf(String(value));
}

const SHORT_INTEGER = /^-?[0-9]{1,15}$/;
const PARTS = /^-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** Significant digits and the power of ten of the last: `12.50` is `125e-1`. Signs are equal by construction; zero has none. */
function digitsOf(literal: string): string {
  const [, whole = "", fraction = "", exponent = "0"] = PARTS.exec(literal) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${significant}e${Number(exponent) - fraction.length + (digits.length - significant.length)}`;
}
