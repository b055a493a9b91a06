const list = (words: string): readonly string[] => words.trim().split(/\s+/);

/** Programs that send all of their input. */
export const INPUT_SENDERS: readonly string[] = list(
  "nc ncat netcat nc.traditional nc.openbsd socat telnet mail mailx mutt s-nail sendmail msmtp ssmtp sftp ftp lftp gist pastebinit ix",
);

/** The same, only with words of this form: `curl -d @-`, `openssl s_client`. */
export const INPUT_SENDERS_WITH: readonly { readonly names: readonly string[]; readonly form: string }[] = [
  { names: ["curl", "curlie"], form: "(^|[=@d])@(-|/dev/stdin|/dev/fd/0|\\.)$|^(-T|--upload-file=?)[-.]?$" },
  { names: ["wget", "wget2"], form: "^--(post|body)-file=(-|/dev/stdin)$" },
  { names: ["http", "https", "xh"], form: "^(POST|PUT|PATCH)$" },
  { names: ["openssl"], form: "^s_client$" },
  { names: ["gh", "glab"], form: "^(gist|snippet)$" },
];

/** Remote shells and storage: ordinary for files of the workspace, not for files outside it. */
export const REMOTE_KEEPERS: readonly string[] = ["ssh", "aws", "gsutil", "rclone", "restic"];

/** Programs that look up a name, which sends the name to servers. */
export const NAME_TOOLS: readonly string[] = list("dig nslookup host drill kdig resolvectl ping ping6 traceroute mtr");

/** Programs that print facts about this machine or person, which don't belong in an address. */
export const TELLS_OF_MACHINE: readonly string[] = list(
  "base64 base32 xxd od hexdump env printenv whoami id hostname cat tar gzip zip gpg history ps ifconfig users who last lsof",
);

/** Files whose content is meant to be part of an address. */
export const VERSION_FILE = "(?i:version|\\.nvmrc|release|sha)";

/** Programs that print only their words. */
export const PRINTS_ITS_WORDS: readonly string[] = ["echo", "printf", "seq", "yes", "date", "true", ":"];

/** Programs that print their words, or parts of them. */
export const SHOWS_ITS_WORDS: readonly string[] = [...PRINTS_ITS_WORDS, "basename", "dirname", "expr"];

export const SHOWS_ENVIRONMENT: readonly string[] = [
  "env",
  "printenv",
  "set",
  "export",
  "declare",
  "typeset",
  "compgen",
];

/** Names of variables that contain credentials. */
export const SECRET_VARIABLE =
  "(^|_)(SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|PASS|API_?KEY|APIKEY|PRIVATE_?KEY|SECRET_?KEY|ACCESS_?KEY|AUTH_?KEY|CREDENTIALS?|DATABASE_URL|DSN|CONNECTION_STRING|PAT)(_|$)";

/** Search terms of someone who wants credentials. */
export const SECRET_SEARCH =
  "(?i:passw|passphrase|secret|token|api[_-]?key|credential|private|access_?key|\\bkey\\b|_key|auth|aws_|akia)";

/** Options that pass a credential to its own service: `echo "$TOKEN" | docker login --password-stdin`. */
export const TAKES_CREDENTIAL =
  "^(login|--password-stdin|--with-token|--stdin|secret|secrets|--passphrase-fd.*|-pass(in)?|variable)$";
