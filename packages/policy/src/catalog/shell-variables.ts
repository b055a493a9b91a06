/** Variables that bash reads, sets, or evaluates as arithmetic. Setting one is never harmless. */
export const SHELL_NAMES: readonly string[] = [
  "^(BASH|COMP|READLINE|HIST|PROMPT|EPOCH)",
  "^(CHILD_MAX|COLUMNS|COPROC|DIRSTACK|EMACS|EUID|FCEDIT|FUNCNAME|FUNCNEST|GROUPS|HOST(FILE|NAME|TYPE)|IGNOREEOF|INSIDE_EMACS)$",
  "^(LINENO|LINES|MACHTYPE|MAIL(CHECK|PATH)?|MAPFILE|OLDPWD|OPT(ARG|ERR|IND)|OSTYPE|PIPESTATUS|PPID|PWD|RANDOM|REPLY|SECONDS)$",
  "^(SHLVL|SRANDOM|TIMEFORMAT|TMOUT|UID|auto_resume|histchars|npm_.*)$",
];

/** Variables that zsh ties to others: `path` is PATH there. */
export const ZSH_NAMES: readonly string[] =
  `path cdpath fpath manpath module_path mailpath fignore prompt psvar watch status argv options commands functions aliases
  galiases saliases builtins modules parameters dirstack history keymaps signals termcap terminfo userdirs nameddirs pipestatus`.split(
    /\s+/,
  );

/** Variables that every run has in its environment, so setting one changes what programs see. */
export const EXPORTED_NAMES: readonly string[] =
  "LANG LANGUAGE LC_ALL TERM TZ TMPDIR PATH HOME USER LOGNAME SHELL PWD".split(" ");
