import type { Tool } from "./tool.ts";

/** Tools that read files and print what they make of them. */
export const TEXT_TOOLS: readonly Tool[] = [
  {
    names: ["cat"],
    options:
      "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting --help --version",
    operands: "paths",
    inert: true,
    examples: {
      safe: ["cat package.json", "cat -n a b", "cat .env.example", "cat <(sort a)", "cat ./*"],
      notSafe: ["cat .env", "cat ~/.ssh/id_rsa", "cat /etc/shadow", "cat /proc/1/environ", "cat ~/.ssh/*", "cat a > b"],
    },
  },
  {
    names: ["head"],
    options: "-n# -c# -q -v -z --lines# --bytes# --quiet --silent --verbose --zero-terminated --help --version",
    operands: "paths",
    inert: true,
    dashNumber: true,
    examples: { safe: ["head -n 40 README.md", "head -5", "head -c 80 a"], notSafe: ["head -x a", "head /etc/passwd"] },
  },
  {
    names: ["tail"],
    options:
      "-n# -c# -f -F -q -s# -v -z -r --lines# --bytes# --follow? --quiet --silent --sleep-interval# --pid# --retry --verbose --zero-terminated --help --version",
    operands: "paths",
    inert: true,
    dashNumber: true,
    examples: { safe: ["tail -n 100 logs/app.log", "tail -20 a"], notSafe: ["tail --frob a", "tail ~/.netrc"] },
  },
  {
    names: ["wc"],
    options: "-c -l -L -m -w --bytes --chars --lines --max-line-length --words --total: --help --version",
    operands: "paths",
    inert: true,
    examples: { safe: ["wc -l src/*.ts", 'wc -l "$f"'], notSafe: ["wc --files0-from=list", "wc -l .env"] },
  },
  {
    names: ["nl"],
    options:
      "-b: -d: -f: -h: -i# -l# -n: -p -s: -v# -w# --body-numbering: --number-format: --number-width# --starting-line-number#",
    operands: "paths",
    inert: true,
    examples: { safe: ["nl -ba Makefile"], notSafe: ["nl --frob a"] },
  },
  {
    names: ["tac", "rev"],
    options: "-b -r -s: --before --regex --separator:",
    operands: "paths",
    inert: true,
    examples: { safe: ["tac CHANGELOG.md", "rev hosts.txt"], notSafe: ["tac -x a"] },
  },
  {
    names: ["cut"],
    options:
      "-b: -c: -d: -f: -n -s -z --bytes: --characters: --delimiter: --fields: --complement --only-delimited --output-delimiter: --zero-terminated",
    operands: "paths",
    inert: true,
    examples: { safe: ["cut -d, -f1,3 data.csv", "cut -d: -f1"], notSafe: ["cut -x a", "cut -f1 /etc/shadow"] },
  },
  {
    names: ["paste"],
    options: "-d: -s -z --delimiters: --serial --zero-terminated",
    operands: "paths",
    inert: true,
    examples: { safe: ["paste -d, col1.txt col2.txt", "paste -sd+"], notSafe: ["paste --frob"] },
  },
  {
    names: ["join"],
    options:
      "-a: -e: -i -j: -o: -t: -v: -1: -2: -z --ignore-case --check-order --nocheck-order --header --zero-terminated",
    operands: "paths",
    inert: true,
    examples: { safe: ["join -t, a.csv b.csv"], notSafe: ["join --frob a b"] },
  },
  {
    names: ["fold", "expand", "unexpand"],
    options: "-b -c -s -w# -t# -i -a --bytes --spaces --width# --tabs# --initial --all --first-only",
    operands: "paths",
    inert: true,
    dashNumber: true,
    examples: { safe: ["fold -w 80 -s notes.txt"], notSafe: ["fold --frob a", "fold -w .env"] },
  },
  {
    names: ["column"],
    options: "-t -s: -o: -c# -x -J -L --table --separator: --output-separator: --json --help",
    operands: "paths",
    inert: true,
    examples: { safe: ["column -t -s, table.csv"], notSafe: ["column --frob a"] },
  },
  {
    names: ["sort"],
    // Not -o, -T, --compress-program, --files0-from, --random-source: they write, run or read elsewhere.
    options:
      "-b -c -C -d -f -g -h -i -k: -m -M -n -r -R -s -S: -t: -u -V -z --ignore-leading-blanks --dictionary-order --ignore-case " +
      "--general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --sort: " +
      "--version-sort --check? --key: --merge --stable --buffer-size: --field-separator: --parallel: --unique --zero-terminated --help --version",
    operands: "paths",
    examples: {
      safe: ["sort names.txt", "sort -rn", "sort -t, -k2,2n a.csv", "sort -- *"],
      notSafe: [
        "sort -o sorted.txt names.txt",
        "sort names.txt -o names.txt",
        "sort -ro out in",
        "sort --output=x a",
        "sort --outp x a",
        "sort --compress-program=sh a",
        "sort --compress-prog sh a",
        "sort $x",
        "sort *",
      ],
    },
  },
  {
    names: ["uniq"],
    options:
      "-c -d -D -f: -i -s: -u -z -w: --count --repeated --all-repeated? --skip-fields: --group? --ignore-case --skip-chars: --unique --zero-terminated --check-chars:",
    operands: "paths",
    maxOperands: 1,
    // BSD's takes `-c` after a file for the file to write.
    optionsFirst: true,
    examples: {
      safe: ["uniq -c", "uniq in.txt"],
      notSafe: ["uniq in.txt out.txt", "uniq -- *", "uniq -- $x", "uniq a -- b", "uniq a -c"],
    },
  },
  {
    names: ["tr"],
    options: "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1",
    operands: "text",
    inert: true,
    examples: { safe: ["tr ':' '\\n'", "tr -s ' '"], notSafe: ["tr --frob a b"] },
  },
  {
    names: ["comm"],
    options: "-1 -2 -3 -z --check-order --nocheck-order --output-delimiter: --total --zero-terminated",
    operands: "paths",
    inert: true,
    examples: { safe: ["comm -12 list1.txt list2.txt"], notSafe: ["comm --frob a b"] },
  },
  {
    names: ["diff"],
    // Not -l: it runs pr.
    options:
      "-a -b -B -c -C# -d -e -E -i -I: -n -N -p -q -r -s -t -T -u -U# -w -W# -x: -y -Z --text --ignore-space-change --ignore-blank-lines " +
      "--context? --minimal --ed --ignore-tab-expansion --ignore-case --rcs --new-file --show-c-function --brief --recursive " +
      "--report-identical-files --expand-tabs --initial-tab --unified? --ignore-all-space --width# --exclude: --side-by-side " +
      "--ignore-trailing-space --strip-trailing-cr --suppress-common-lines --color? --no-dereference --label: --normal",
    operands: "paths",
    // Two directories are compared with all that is in them, and an operand doesn't say whether it is one.
    recursive: ["*"],
    examples: {
      safe: ["diff -u old.conf new.conf", "diff <(sort a) <(sort b)"],
      notSafe: ["diff -l a b", "diff a /etc/shadow"],
    },
  },
  {
    names: ["cmp"],
    options: "-b -i# -l -n# -s --print-bytes --ignore-initial# --verbose --bytes# --quiet --silent",
    operands: "paths",
    inert: true,
    examples: { safe: ["cmp a.bin b.bin"], notSafe: ["cmp --frob a b"] },
  },
  {
    names: ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "cksum", "sum"],
    // With -c it reads what the list names, and shows of it only whether it is as it was.
    options:
      "-b -t -z -c -w -a: -l# --binary --text --tag --zero --algorithm: --length# --check --status --quiet --warn --strict --ignore-missing",
    operands: "paths",
    inert: true,
    examples: {
      safe: ["md5sum a.txt b.txt", "sha256sum dist/app.tgz", "sha256sum -c sums"],
      notSafe: ["sha256sum --frob a", "md5sum .env"],
    },
  },
  {
    names: ["od"],
    options:
      "-a -A: -b -c -d -f -i -j# -l -N# -o -s -t: -v -w? -x --address-radix: --format: --read-bytes# --skip-bytes# --output-duplicates --width?",
    operands: "paths",
    inert: true,
    examples: { safe: ["od -c header.bin", "od -A x -t x1z a"], notSafe: ["od --frob a", "od -w /etc/shadow"] },
  },
  {
    names: ["hexdump", "hd"],
    options: "-b -c -C -d -e: -n# -o -s# -v -x",
    operands: "paths",
    inert: true,
    examples: { safe: ["hexdump -C a"], notSafe: ["hexdump -f format a", "hexdump -n .env"] },
  },
  {
    names: ["strings"],
    options: "-a -n# -o -t: -e: -w --all --bytes# --radix: --encoding: --include-all-whitespace",
    operands: "paths",
    inert: true,
    dashNumber: true,
    responseFiles: true,
    examples: {
      safe: ["strings bin/tool", "strings -n 8 a", "strings ./*"],
      notSafe: ["strings --frob a", "strings -w /etc/shadow", "strings @list", "strings -t @list a", "strings *"],
    },
  },
  {
    names: ["xxd"],
    // Not -r and no second operand: they write. It reads the first letters of an option word, and none after a file.
    options: "-b -c# -E -g# -i -l# -o# -p -s# -u",
    operands: "paths",
    maxOperands: 1,
    clusters: "none",
    optionsFirst: true,
    examples: {
      safe: ["xxd -l 64 image.png", "xxd", "xxd -p a"],
      notSafe: [
        "xxd -r dump.hex out.bin",
        "xxd a b",
        "xxd -- *",
        "xxd -ps 1 out",
        "xxd -pr 1 out",
        "xxd a -p",
        'xxd ./"$x" -p',
      ],
    },
  },
  {
    names: ["base64", "base32"],
    options: "-d -D -i -w# --decode --ignore-garbage --wrap# --help --version",
    operands: "paths",
    examples: { safe: ["base64 icon.png", "base64 -w0"], notSafe: ["base64 -o out in", "base64 .env"] },
  },
  {
    names: ["file"],
    // Not -C, -f, -m, -z, -Z, -S: they compile, follow lists, load magic, decompress or drop its own sandbox.
    options:
      "-b -E -h -i -I -k -l -L -N -n -r -s -v -0 --brief --mime --mime-type --mime-encoding --keep-going --dereference --no-dereference --raw --version",
    operands: "paths",
    examples: { safe: ["file assets/logo.png"], notSafe: ["file -C -m x", "file -z a", "file -f list"] },
  },
  {
    names: ["sdiff"],
    // Not -o: it asks and writes.
    options:
      "-a -b -B -d -E -i -I: -l -s -t -w# -W -Z --text --ignore-space-change --ignore-blank-lines --minimal --ignore-case --left-column --suppress-common-lines --expand-tabs --width# --ignore-all-space",
    operands: "paths",
    recursive: ["*"],
    runs: ["diff"],
    examples: { safe: ["sdiff -s staging.ini prod.ini"], notSafe: ["sdiff -o out a b", "sdiff --diff-program=x a b"] },
  },
  {
    names: ["xmllint"],
    // Not -o, --output, --shell, --load-trace, --path: they write, talk or load.
    options:
      "--xpath: --noout --format --nonet --noblanks --recover --html --huge --c14n --encode: --pretty# --quiet --stream --sax",
    operands: "paths",
    operandForm: "^(?!\\w+://)",
    examples: {
      safe: ["xmllint --xpath '//a/text()' pom.xml", "xmllint --noout a.xml"],
      notSafe: [
        "xmllint --output x a.xml",
        "xmllint https://x.io/a.xml",
        "xmllint --shell a.xml",
        "xmllint --valid a.xml",
      ],
    },
  },
];
