import type { Tool } from "./tool.ts";

/** Tools that show names, sizes, dates: what is there, not what is in it. */
export const LIST_TOOLS: readonly Tool[] = [
  {
    names: ["ls", "dir", "vdir"],
    options:
      "-a -A -b -B -c -C -d -f -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -Z -1 " +
      "--all --almost-all --author --escape --block-size: --ignore-backups --color? --directory --classify? --file-type --format: " +
      "--full-time --group-directories-first --no-group --human-readable --si --dereference --hide: --hyperlink? --inode --ignore: " +
      "--kibibytes --numeric-uid-gid --literal --hide-control-chars --quote-name --quoting-style: --reverse --recursive --size --sort: " +
      "--time: --time-style: --width: --context --zero --help --version",
    operands: "paths",
    inert: true,
    namesOnly: true,
    readsCwd: true,
    follows: ["-L", "-H", "--dereference"],
    examples: {
      safe: [
        "ls",
        "ls -la",
        "ls -lah src/components",
        "ls --color=never -t -- src",
        "ls -R",
        "ls *",
        "ls ./*.ts",
        'ls "$d"',
      ],
      notSafe: ["ls --frobnicate", "ls ~root", "ls > f", "./ls", "ls -y"],
    },
  },
  {
    names: ["stat"],
    options: "-L -f -t -c: --dereference --file-system --format: --printf: --terse --cached: --help --version",
    operands: "paths",
    inert: true,
    namesOnly: true,
    examples: {
      safe: ["stat -c '%s %n' dist/bundle.js", "stat --printf=%s a"],
      notSafe: ["stat ~root/x", "stat -x a"],
    },
  },
  {
    names: ["du"],
    options:
      "-a -b -c -d# -h -H -k -l -L -m -P -s -S -t: -x -0 -D --all --apparent-size --block-size: --bytes --total --max-depth# " +
      "--human-readable --si --inodes --summarize --separate-dirs --threshold: --time? --one-file-system --exclude: --null --help --version",
    operands: "paths",
    inert: true,
    namesOnly: true,
    readsCwd: true,
    follows: ["-L", "-D", "-H"],
    examples: { safe: ["du -sh node_modules", "du -d1 ."], notSafe: ["du --files0-from=list", "du ~root"] },
  },
  {
    names: ["df"],
    options:
      "-a -B: -h -H -i -k -l -P -t: -T -x: --all --block-size: --human-readable --si --inodes --local --output? --portability " +
      "--total --type: --print-type --exclude-type: --help --version",
    operands: "paths",
    inert: true,
    namesOnly: true,
    examples: { safe: ["df -h .", "df"], notSafe: ["df --sync"] },
  },
  {
    names: ["realpath"],
    options:
      "-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --relative-to: --relative-base: --strip --no-symlinks --zero",
    operands: "paths",
    inert: true,
    namesOnly: true,
    examples: { safe: ["realpath ./src/../lib"], notSafe: ["realpath -x a"] },
  },
  {
    names: ["readlink"],
    options:
      "-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero",
    operands: "paths",
    inert: true,
    namesOnly: true,
    examples: { safe: ["readlink -f bin/run"], notSafe: ["readlink -x bin/run"] },
  },
  {
    names: ["tree"],
    options:
      "-a -d -l -f -x -L# -P: -I: -i -q -N -Q -p -u -g -s -h -D -F -t -c -U -r -n -C -v -A -S -X -J " +
      "--gitignore --ignore-case --matchdirs --metafirst --prune --noreport --charset: --filelimit: --timefmt: --du --si --dirsfirst --sort? --inodes --device --help --version",
    operands: "paths",
    namesOnly: true,
    readsCwd: true,
    clusters: "flags",
    follows: ["-l"],
    examples: {
      safe: ["tree -L 2 src", "tree", "tree -aC src"],
      notSafe: [
        "tree -o listing.html",
        "tree -R",
        "tree $x",
        "tree --output x",
        "tree -Io x out.html",
        "tree -Po x out.html",
        "tree -L2o out",
        "tree -aL 2",
      ],
    },
  },
  {
    names: ["basename", "dirname"],
    options: "-a -s: -z --multiple --suffix: --zero",
    operands: "text",
    inert: true,
    examples: { safe: ["basename /var/log/syslog .log", "dirname src/core/main.rs"], notSafe: ["basename -q x"] },
  },
  {
    names: ["pwd"],
    options: "-L -P --logical --physical",
    operands: "none",
    inert: true,
    examples: { safe: ["pwd", "pwd -P"], notSafe: ["pwd -x"] },
  },
];
