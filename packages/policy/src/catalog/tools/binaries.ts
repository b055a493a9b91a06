import type { Tool } from "./tool.ts";

/** Tools that look into programs, images, documents and sound. */
export const BINARY_TOOLS: readonly Tool[] = [
  {
    names: ["nm", "llvm-nm"],
    options:
      "-a -A -C -D -e -g -l -n -o -p -r -S -u -U -v --debug-syms --demangle? --dynamic --defined-only --extern-only --numeric-sort --no-sort --print-size --size-sort --reverse-sort --undefined-only --format: -f: -t: --radix:",
    operands: "paths",
    responseFiles: true,
    examples: { safe: ["nm -D libfoo.so"], notSafe: ["nm --plugin x a", "nm @list"] },
  },
  {
    names: ["objdump", "llvm-objdump"],
    options:
      "-a -f -p -h -x -d -D -S -s -g -e -G -t -T -r -R -w -z -C -l -M: -j: --archive-headers --file-headers --private-headers --section-headers --headers --all-headers --disassemble? " +
      "--disassemble-all --source? --full-contents --syms --dynamic-syms --reloc --dynamic-reloc --section: --demangle? --line-numbers --no-show-raw-insn --start-address: --stop-address: --wide",
    operands: "paths",
    responseFiles: true,
    examples: { safe: ["objdump -d build/a.o"], notSafe: ["objdump --plugin x a", "objdump @list"] },
  },
  {
    names: ["readelf", "llvm-readelf"],
    options:
      "-a -h -l -S -g -t -e -s -n -r -u -d -V -A -c -D -x: -p: -R: -w? -W -I --all --file-header --program-headers --segments --section-headers --sections --section-details --headers --syms " +
      "--symbols --dyn-syms --notes --relocs --dynamic --version-info --string-dump: --hex-dump: --wide",
    operands: "paths",
    responseFiles: true,
    examples: { safe: ["readelf -h a.out", "readelf -d libfoo.so"], notSafe: ["readelf --frob a"] },
  },
  {
    names: ["size", "addr2line", "c++filt"],
    options:
      "-A -B -G -d -o -x -t -e@ -f -i -p -s -C -a -n --format: --totals --exe@ --functions --inlines --pretty-print --demangle?",
    operands: "text",
    responseFiles: true,
    examples: { safe: ["size a.out", "addr2line -e a.out 0x400"], notSafe: ["size @list", "size --frob"] },
  },
  {
    names: ["otool", "lipo", "dwarfdump"],
    options: "-L -l -h -f -a -d -D -t -T -v -V -archs -info -detailed_info",
    clusters: "none",
    operands: "paths",
    examples: { safe: ["otool -L app", "lipo -info app"], notSafe: ["lipo -create a -output b", "otool --frob a"] },
  },
  {
    // It runs the program's own loader, which may be anything: only of the system's programs is it known.
    names: ["ldd"],
    options: "-d -r -u -v --verbose --data-relocs --function-relocs --unused",
    operands: "paths",
    operandForm: "^/(usr/)?(s?bin|lib(32|64|x32)?)/(?!.*\\.\\.)\\S+$",
    minOperands: 1,
    runs: ["bash", "ld.so", "ld-linux-x86-64.so.2", "ld-linux.so.2", "ld-linux-aarch64.so.1", "cat"],
    examples: {
      safe: ["ldd /usr/bin/git", "ldd -v /lib64/libc.so.6"],
      notSafe: [
        "ldd build/app",
        "ldd ./vendor/tool",
        "ldd /usr/bin/../../home/me/x",
        "ldd --frob /bin/ls",
        "ldd .env",
        "ldd $x",
      ],
    },
  },
  {
    names: ["ffprobe"],
    options:
      "-v=quiet|error|warning|info|fatal|panic -loglevel=quiet|error|warning|info -hide_banner -print_format=json|default|csv|flat|ini|xml|compact|default=* -of=json|default|csv|flat|ini|xml|compact|default=*|csv=* " +
      "-show_format -show_streams -show_entries: -show_chapters -show_packets -show_frames -select_streams: -count_frames -count_packets -pretty -i@ -sexagesimal",
    clusters: "none",
    operands: "paths",
    operandForm: "^[^:|]+$",
    maxOperands: 1,
    // A playlist names other files and machines.
    reliesOnJail: true,
    examples: {
      safe: ["ffprobe -v error -show_format clip.mp4", "ffprobe -hide_banner -i a.wav"],
      notSafe: ["ffprobe https://x.io/a.mp4", "ffprobe concat:a|b", "ffprobe -o out a", "ffprobe -f lavfi x"],
    },
  },
  {
    names: ["mediainfo"],
    options: "-f",
    clusters: "none",
    operands: "paths",
    operandForm: "^[^:|]+$",
    // A playlist names other files and machines.
    reliesOnJail: true,
    examples: {
      safe: ["mediainfo clip.mp4", "mediainfo -f a.m3u8"],
      notSafe: ["mediainfo https://x.io/a.mp4", "mediainfo --LogFile=x a.mp4"],
    },
  },
  {
    names: ["exiftool", "pdfinfo", "pdffonts"],
    options: "-a -s -j -g -G -n -q -f -l -json",
    clusters: "none",
    operands: "paths",
    examples: {
      safe: ["exiftool -json a.jpg", "pdfinfo paper.pdf"],
      notSafe: ["exiftool -Author=x a.jpg", "exiftool -o b a"],
    },
  },
  {
    names: ["openssl"],
    options: "",
    operands: "none",
    uses: [
      {
        commands: ["x509", "req", "crl"],
        options:
          "-in@ -inform=PEM|DER|pem|der -noout -text -subject -issuer -dates -startdate -enddate -serial -fingerprint -sha256 -sha1 -purpose -pubkey -modulus -email -hash -alias -nameopt: -certopt: -ext: -checkend# -verify",
        clusters: "none",
        operands: "none",
      },
      {
        commands: ["dgst", "sha256", "sha1", "md5", "sha512"],
        options: "-sha256 -sha1 -md5 -sha512 -sha384 -hex -binary -r -c",
        clusters: "none",
        operands: "paths",
      },
      { commands: ["version"], options: "-a -v -b -d -p -o", operands: "none" },
      {
        commands: ["list"],
        options: "-digest-algorithms -cipher-algorithms -public-key-algorithms -commands",
        clusters: "none",
        operands: "none",
      },
      { commands: ["ciphers"], options: "-v -V -s -tls1_2 -tls1_3", clusters: "none", operands: "text" },
    ],
    examples: {
      safe: ["openssl x509 -in cert.crt -noout -text", "openssl version", "openssl dgst -sha256 a.bin"],
      notSafe: [
        "openssl x509 -in a -out b",
        "openssl s_client -connect x.io:443",
        "openssl rsa -in key.pem",
        "openssl dgst -sign k a",
        "openssl x509 -engine x",
        "openssl req -newkey rsa:2048",
        "openssl x509 -in ~/.ssh/id_rsa",
      ],
    },
  },
];
