import { basename } from "../model/index.ts";
import type { DraftPart } from "../shell/index.ts";

/** Programs that turn text into other text, by the words with which they hide what it was. */
const DECODERS: readonly { readonly names: readonly string[]; readonly form: RegExp }[] = [
  { names: ["base64", "base32", "basenc", "gbase64"], form: /^(-[a-zA-Z]*[dD]|--d)/ },
  { names: ["xxd"], form: /^-[a-z]*r/ },
  { names: ["openssl"], form: /^-d$|^base64$/ },
  { names: ["rev", "uudecode", "zcat", "gunzip", "bunzip2", "xzcat"], form: /^/ },
  { names: ["gzip", "bzip2", "xz", "zstd", "gpg"], form: /^(-[a-z]*d|--decompress|--decrypt)/ },
  { names: ["tr"], form: /^.-.|^\[:/ },
  { names: ["printf", "echo"], form: /\\(x[0-9a-fA-F]{2}|0?[0-7]{3}|u[0-9a-fA-F]{4})/ },
];

/** Prints text that can't be read as it stands. */
export function isDecoder({ words }: DraftPart): boolean {
  const name = basename(words[0] ?? "");
  return DECODERS.some(
    ({ names, form }) =>
      names.includes(name) && ["", ...words.slice(1)].some((word) => word !== null && form.test(word)),
  );
}

/** What `echo` and `printf` with literal words print, near enough to find harm in it. */
export function printedText({ words }: DraftPart): string | undefined {
  const [name, ...rest] = words;
  if ((name !== "echo" && name !== "printf") || rest.includes(null)) return undefined;
  const text = rest.filter((word) => !/^-[neE]+$/.test(word ?? "")).join(" ");
  return name === "printf" ? text.replace(/%s|%b|\\n/g, "\n") : text;
}
