import type { Dialled } from "./dial.ts";

export const TEXT = "text/plain; charset=utf-8";

/** The phrase is what git, pip and go show; the text is what curl and browsers show. */
export interface Answer {
  readonly status: number;
  readonly phrase: string;
  readonly text: string;
}

export const badRequest: Answer = {
  status: 400,
  phrase: "Bad Request",
  text: "The jail's proxy understands CONNECT host:port and http://host/path.\n",
};

export function tooLarge(headerBytes: number): Answer {
  const text = `The header is longer than ${headerBytes} bytes (limit: headerBytes)\n`;
  return { status: 431, phrase: "Request Header Fields Too Large", text };
}

export function refusalAnswer(dialled: Exclude<Dialled, { readonly kind: "connected" }>): Answer {
  switch (dialled.kind) {
    case "refused":
      return { status: 403, phrase: "Refused by the jail", text: `Refused by the jail: ${dialled.reason}.\n` };
    case "failed":
      return { status: 502, phrase: "Bad Gateway", text: `From the jail, ${dialled.reason}.\n` };
    case "timed-out":
      return { status: 504, phrase: "Gateway Timeout", text: `From the jail, ${dialled.reason}.\n` };
  }
}

export function rawAnswer({ status, phrase, text }: Answer): string {
  const head = [
    `HTTP/1.1 ${status} ${phrase}`,
    `Content-Type: ${TEXT}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    "Connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${text}`;
}
