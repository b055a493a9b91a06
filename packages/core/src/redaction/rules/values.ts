/** Whether a text that stands where a secret would is one. What is only a name for it stays readable. */

/** Letters of both cases or digits: no name in snake case. */
export function isMixed(value: string): boolean {
  return /[0-9]/.test(value) || (/[A-Z]/.test(value) && /[a-z]/.test(value));
}

/** `$TOKEN`, `${{ secrets.X }}`, `<your-key>`, `xxxx`, `process.env.X`: where the secret would go. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDERS.test(value) || WORDS.has(value.toLowerCase());
}

export function isValue(value: string): boolean {
  return value.length >= 4 && !isPlaceholder(value);
}

/** In quotes: sentences are labels and messages, not secrets. */
export function isQuotedValue(value: string): boolean {
  return isValue(value) && !/\s/.test(value);
}

/** Without quotes: code is not a value. */
export function isBareValue(value: string): boolean {
  return isValue(value) && !isCode(value);
}

/** Where prose and code are as likely as a value. */
export function isLikelyValue(value: string): boolean {
  return value.length >= 8 && /[0-9]/.test(value) && /[A-Za-z]/.test(value) && isBareValue(value);
}

/** Behind a flag: `--password hunter` counts, `--password PASSWORD` and `--token from the file` don't. */
export function isFlagValue(value: string): boolean {
  return isBareValue(value) && (/[0-9]/.test(value) || /^[a-z]{6}/.test(value));
}

/** `self.password`, `req.body.token`, `getToken(`, `tokens[`. */
function isCode(value: string): boolean {
  return /[([]$/.test(value) || /^[A-Za-z_$][\w$]{0,32}(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]{0,32}){1,4}$/.test(value);
}

const PLACEHOLDERS = new RegExp(
  [
    "^[<${\\[…]",
    "^\\\\\\$",
    "^%(?:[sdvq]|\\(|[A-Z_]{1,30}%)",
    "^(?:x{3}|X{3}|\\.{3}|-{3}|_{3}|#{3}|\\*{3})",
    "^your[-_ ]?",
    "^(?:process\\.env|os\\.environ|import\\.meta|env\\.|ENV\\[|secrets?\\.|vault:|op://|file:|ref\\+|var\\.|local\\.|data\\.)",
    "^(?:insert|replace|change|enter|put|add)[-_ ]?(?:me|your|this|with|here)",
    "[-_]here$",
  ].join("|"),
);

/** What code, schemas and forms have in this place. */
const WORDS = new Set(
  `password passwd passphrase passwort secret secrets token tokens apikey api_key api-key key pass pwd auth bearer basic
   credential credentials string str text number integer int boolean bool bytes any object unknown void never null none nil
   undefined true false yes no on off required optional hidden masked redacted empty missing invalid expired default value
   example placeholder dummy test field input label type self this await async function return const new plain disabled
   enabled changeme x-oauth-basic`
    .split(/\s+/)
    .filter(Boolean),
);
