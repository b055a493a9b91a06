export type Headers = readonly (readonly [name: string, value: string])[];

/** How the end of a body is found. */
export type Framing =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" }
  | { readonly kind: "until-close" };

export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  readonly framing: Framing;
}

export interface AnswerHead {
  readonly status: number;
  readonly headers: Headers;
  readonly framing: Framing;
}

/** The first of that name, as Go's Header.Get; names are in lower case here. */
export function headerOf(headers: Headers, name: string): string | undefined {
  return headers.find(([known]) => known === name)?.[1];
}

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([^\0-\x20\x7f]+) HTTP\/1\.([01])$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\0-\x08\x0a-\x1f\x7f]*)$/;

/**
 * A head without its last empty line, one character for each byte. A text: why it is refused. Whatever two servers could frame differently
 * (RFC 9112, sections 5.1, 5.2 and 6.3) never gets to execd: with it, a request could hide in another's body.
 */
export function readRequestHead(text: string): RequestHead | string {
  const [first = "", ...lines] = text.split("\r\n");
  const line = REQUEST_LINE.exec(first);
  if (!line) return "the request line can't be read";
  const headers: [string, string][] = [];
  for (const each of lines) {
    const field = FIELD.exec(each);
    if (!field) return /^[ \t]/.test(each) ? "a header line is folded" : "a header line can't be read";
    headers.push([(field[1] as string).toLowerCase(), (field[2] as string).trimEnd()]);
  }
  const method = line[1] as string;
  if (method === "CONNECT") return "CONNECT has no use here";
  const framing = requestFraming(headers, line[3] === "0");
  return typeof framing === "string" ? framing : { method, target: line[2] as string, headers, framing };
}

function requestFraming(headers: Headers, isOld: boolean): Framing | string {
  const lengths = headers.filter(([name]) => name === "content-length");
  const encodings = headers.filter(([name]) => name === "transfer-encoding");
  if (lengths.length > 1) return "there are two lengths";
  if (encodings.length > 0) {
    if (lengths.length > 0) return "there are a length and a transfer encoding";
    if (isOld || encodings.length > 1 || encodings[0]?.[1].toLowerCase() !== "chunked")
      return "the transfer encoding isn't chunked alone";
    return { kind: "chunked" };
  }
  const length = lengths[0]?.[1];
  if (length === undefined) return { kind: "none" };
  const bytes = Number(length);
  if (!/^\d{1,16}$/.test(length) || !Number.isSafeInteger(bytes)) return "the length is no number";
  return bytes === 0 ? { kind: "none" } : { kind: "length", bytes };
}

/** An answer is passed on whatever it is, so this is lenient. null: it isn't HTTP/1. */
export function readAnswerHead(text: string, method: string): AnswerHead | null {
  const [first = "", ...lines] = text.split(/\r?\n/);
  const line = /^HTTP\/1\.\d (\d{3})(?: |$)/.exec(first);
  if (!line) return null;
  const headers = lines.flatMap((each): [string, string][] => {
    const colon = each.indexOf(":");
    return colon < 1 ? [] : [[each.slice(0, colon).trim().toLowerCase(), each.slice(colon + 1).trim()]];
  });
  const status = Number(line[1]);
  return { status, headers, framing: answerFraming(headers, status, method) };
}

function answerFraming(headers: Headers, status: number, method: string): Framing {
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return { kind: "none" };
  if (headerOf(headers, "transfer-encoding")?.toLowerCase().endsWith("chunked")) return { kind: "chunked" };
  const length = headerOf(headers, "content-length");
  if (length === undefined || !/^\d+$/.test(length)) return { kind: "until-close" };
  // For a directory execd announces 2^63-1 bytes, and closes: no end of the connection makes that whole.
  if (!Number.isSafeInteger(Number(length))) return { kind: "length", bytes: Number.POSITIVE_INFINITY };
  return Number(length) === 0 ? { kind: "none" } : { kind: "length", bytes: Number(length) };
}
