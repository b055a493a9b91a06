import type { Tool } from "./tool.ts";

/** Tools that look into archives and packed files. Unpacking writes, so only what prints is here. */
export const ARCHIVE_TOOLS: readonly Tool[] = [
  {
    names: ["tar", "gtar", "bsdtar"],
    // Not -I, --to-command, --checkpoint-action, -F, -C, -T, -x, -c: they run programs or write.
    options:
      "-t -f@ -v -z -j -J -a -p -n -w -i -k --list --file@ --verbose --gzip --gunzip --bzip2 --xz --zstd --lzma --auto-compress --exclude: --wildcards --no-wildcards --full-time " +
      "--show-transformed-names --numeric-owner --utc --totals --no-recursion --strip-components# --occurrence? --ignore-case",
    operands: "text",
    requires: ["-t", "--list"],
    runs: ["gzip", "bzip2", "xz", "zstd", "lzma"],
    bareCluster: true,
    // An archive with a colon in its name is on another machine, which is asked by rsh or ssh.
    avoids: "^[^/]*:",
    examples: {
      safe: [
        "tar -tzf release.tar.gz",
        "tar tzf a.tgz",
        "tar tvf a.tar src/",
        "tar --list -f a.tar",
        "tar -tf a.tar '*.md'",
      ],
      notSafe: [
        "tar xzf release.tar.gz",
        "tar -tf a -I 'sh x'",
        "tar -tf a --to-command=sh",
        "tar tf a --checkpoint-action=exec=sh",
        "tar czf a.tgz src",
        "tar -f a.tar",
        "tar tf ~/.ssh/id_rsa",
        "tar xtf a.tar",
        "tar txf a.tar",
        "tar tf $x --delete y",
        "tar tf host:/x",
        "tar -tzfhost:x",
        "tar --file=me@host:x -t",
      ],
    },
  },
  {
    names: ["unzip"],
    options: "-l -v -t -p -Z -z -q -C -L -1 -h -T",
    operands: "text",
    // What it unpacks to its output may be looked for anywhere in the archive, never outside of it.
    requires: ["-l", "-v", "-t", "-p", "-Z", "-z"],
    minOperands: 1,
    examples: {
      safe: ["unzip -l bundle.zip", "unzip -p a.jar META-INF/MANIFEST.MF", "unzip -tq a.zip"],
      notSafe: ["unzip bundle.zip -d vendor", "unzip bundle.zip", "unzip -l a.zip -d x", "unzip -o a.zip", "unzip $x"],
    },
  },
  {
    names: ["zipinfo"],
    options: "-1 -2 -s -m -l -v -h -t -z -T",
    operands: "paths",
    examples: { safe: ["zipinfo -1 a.zip"], notSafe: ["zipinfo --frob a"] },
  },
  {
    names: ["zcat", "bzcat", "xzcat", "zstdcat", "lz4cat"],
    options: "-f -q -v",
    operands: "paths",
    runs: ["sh", "gzip", "bzip2", "xz", "zstd", "lz4"],
    examples: { safe: ["zcat logs/app.log.gz", "xzcat a.xz"], notSafe: ["zcat -x a", "zcat ~/.ssh/id_rsa"] },
  },
  {
    names: ["zgrep", "zegrep", "zfgrep", "xzgrep", "bzgrep"],
    options: "-a -A# -B# -C# -c -E -e: -F -h -H -i -l -L -m# -n -o -q -s -v -w -x",
    operands: "pattern",
    patternOptions: ["-e"],
    runs: ["sh", "bash", "gzip", "bzip2", "xz", "grep", "sed", "cat", "expr"],
    dashNumber: true,
    examples: { safe: ["zgrep -c ERROR logs/app.log.gz"], notSafe: ["zgrep -f list a", "zgrep x .env"] },
  },
  {
    names: ["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd"],
    options:
      "-l -t -c -d -k -q -v -f --list --test --stdout --to-stdout --decompress --uncompress --keep --quiet --verbose",
    runs: ["sh", "gzip", "bzip2", "xz", "zstd"],
    operands: "paths",
    requires: ["-l", "-t", "-c", "--list", "--test", "--stdout", "--to-stdout"],
    examples: {
      safe: ["gzip -l a.gz", "gunzip -c a.gz", "gzip -dc a.gz", "xz -t a.xz", "zstd -l a.zst"],
      notSafe: ["gzip logs/app.log", "gunzip a.gz", "gzip -d a.gz", "xz -k a", "gzip -c .env"],
    },
  },
  {
    names: ["7z", "7za", "7zr", "7zz"],
    options: "-ba -slt -bso0 -bse0",
    clusters: "none",
    operands: "none",
    uses: [
      {
        commands: ["l", "t", "i"],
        options: "-ba -slt -bso0 -bse0",
        clusters: "none",
        operands: "paths",
        operandForm: "^[^@]",
      },
    ],
    examples: { safe: ["7z l a.7z"], notSafe: ["7z x a.7z", "7z a x y", "7z l a -oout", "7z l @list"] },
  },
  {
    names: ["jar"],
    options: "",
    operands: "none",
    uses: [{ commands: ["tf", "tvf", "-tf", "-tvf"], options: "", operands: "paths" }],
    examples: { safe: ["jar tf app.jar"], notSafe: ["jar xf app.jar", "jar cf a.jar b"] },
  },
  {
    names: ["ar"],
    options: "",
    operands: "none",
    uses: [{ commands: ["t", "tv", "p"], options: "", operands: "paths" }],
    examples: { safe: ["ar t lib.a"], notSafe: ["ar x lib.a", "ar rcs a.a b.o"] },
  },
];
