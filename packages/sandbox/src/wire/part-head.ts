export interface PartHead {
  /** The field's name; empty where Go finds none, and passes the part over. */
  readonly name: string;
  /** Go keeps what has a file's name as a file, and everything else as a value that execd never looks at. */
  readonly isFile: boolean;
}

const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/;
/** Encodings that leave the bytes as they are. Go decodes quoted-printable by itself, so that what is written isn't what passed. */
const PLAIN_ENCODINGS = ["binary", "8bit", "7bit"];
const PARAMETER = /^[ \t]*;[ \t]*([!#$%&'+.^_`|~0-9A-Za-z-]+)=(?:"([^"\\\r\n]*)"|([!#$%&'*+.^_`|~0-9A-Za-z-]+))/;

/** A part's head without its last line end. A text: why it can't be read for certain. */
export function readPartHead(text: string): PartHead | string {
  let disposition: string | undefined;
  for (const line of text === "" ? [] : text.split("\r\n")) {
    const match = FIELD.exec(line);
    if (!match || /[\0\r\n]/.test(line)) return "a part's head isn't one that everybody reads alike";
    const name = (match[1] as string).toLowerCase();
    const value = match[2] as string;
    if (name === "content-disposition") {
      if (disposition !== undefined) return "a part has two dispositions";
      disposition = value;
    }
    if (name === "content-transfer-encoding" && !PLAIN_ENCODINGS.includes(value.toLowerCase()))
      return "a part is encoded";
  }
  return disposition === undefined ? { name: "", isFile: false } : readDisposition(disposition);
}

function readDisposition(text: string): PartHead | string {
  const type = /^[^;]*/.exec(text)?.[0] ?? "";
  const parameters = new Map<string, string>();
  let rest = text.slice(type.length);
  while (rest.trim() !== "" && rest.trim() !== ";") {
    const match = PARAMETER.exec(rest);
    const name = match?.[1]?.toLowerCase();
    // Those with a `*` are put together and decoded by Go.
    if (!match || name === undefined || parameters.has(name)) return "a part's disposition isn't plain";
    parameters.set(name, match[2] ?? match[3] ?? "");
    rest = rest.slice(match[0].length);
  }
  if (type.trim().toLowerCase() !== "form-data") return { name: "", isFile: false };
  return { name: parameters.get("name") ?? "", isFile: (parameters.get("filename") ?? "") !== "" };
}

/** The boundary of a form, from its Content-Type; null where it is none, or none that everybody reads alike. */
export function boundaryOf(contentType: string): string | null {
  const match = /^[ \t]*multipart\/form-data[ \t]*((?:;.*)?)$/i.exec(contentType);
  if (!match) return null;
  let boundary: string | null = null;
  let rest = match[1] ?? "";
  while (rest.trim() !== "" && rest.trim() !== ";") {
    const parameter = PARAMETER.exec(rest);
    if (!parameter) return null;
    if (parameter[1]?.toLowerCase() === "boundary") {
      if (boundary !== null) return null;
      boundary = parameter[2] ?? parameter[3] ?? "";
    }
    rest = rest.slice(parameter[0].length);
  }
  return boundary === null || boundary === "" || boundary.length > 70 ? null : boundary;
}
