/** Names that no tool takes code, programs or paths from, with the values that keep it so. */
export const HARMLESS_NAMES: readonly { readonly name: string; readonly value: string }[] = [
  { name: "^(LC_[A-Z]+|LANG|LANGUAGE)$", value: "^(C|POSIX|[A-Za-z_.-]*UTF-?8)$" },
  { name: "^TZ$", value: "^[A-Za-z][A-Za-z0-9_+/-]*$" },
  { name: "^(NO_COLOR|CI|COLUMNS|LINES|FORCE_COLOR|CLICOLOR)$", value: "^[A-Za-z0-9]*$" },
  { name: "^TERM$", value: "^[a-z0-9-]+$" },
  { name: "^(GIT_|MAN|SYSTEMD_|AWS_|GH_)?PAGER$", value: "^(cat)?$" },
];

/** Names through which code or another program is loaded. Refused in a proposal's `env`. */
export const CODE_LOADING_NAMES: readonly string[] = [
  "^(LD|DYLD|BASH|GIT|PYTHON|PERL|RUBY|NODE|NPM|JAVA|MALLOC|GCONV|SSH|KUBECTL|DOCKER|CARGO|RUSTC?|GO|PIP|UV|LUA|PHP|CSIGN|COUNTERSIGN|SUDO|SYSTEMD|RIPGREP|GREP|TAR|ZIP|UNZIP|GZIP|XZ|MAKE|CMAKE|LESS|EDITOR|MAN|_JAVA)(_|[A-Z0-9]|$)",
  "^(PATH|HOME|IFS|SHELLOPTS|PS[0-4]|ENV|PROMPT_COMMAND|CDPATH|GLOBIGNORE|EXECIGNORE|FIGNORE|POSIXLY_CORRECT|INPUTRC)$",
  "^(PAGER|.*_PAGER|VISUAL|.*EDITOR|BROWSER|SHELL|OPENSSL_CONF|OPENSSL_MODULES|LOCPATH|NLSPATH|TERMINFO.*|TERMCAP|TMPDIR|TEXTDOMAIN.*)$",
  "^(JDK_JAVA_OPTIONS|CLASSPATH|CC|CXX|CPP|LINKER|AR|AWKPATH|AWKLIBPATH|HOSTALIASES|RESOLV_HOST_CONF|RES_OPTIONS|MAGIC|SQLITE_HISTORY|PSQLRC|PGSYSCONFDIR|PGSERVICEFILE|JQ_.*|XDG_.*|FPATH|ZDOTDIR|ELECTRON_RUN_AS_NODE|DOTNET_.*|COMPlus_.*|CORECLR_.*)$",
  "^(HTTPS?|ALL|FTP|NO)_PROXY$",
  "^(https?|all|ftp|no)_proxy$",
];
