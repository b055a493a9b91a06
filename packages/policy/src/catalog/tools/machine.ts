import type { Tool } from "./tool.ts";

/** Tools that tell about the machine: hardware, network, services, packages. In a jail they see little of it, and harm none. */
export const MACHINE_TOOLS: readonly Tool[] = [
  {
    names: ["lscpu", "lsblk", "lsusb", "lspci", "lsmod", "lsmem", "lsns", "lslocks", "lsipc", "findmnt"],
    options:
      "-a -b -c -d -e? -f -i -k -l -m -n -o: -p -r -s -t -v -x -y -J -P -S -T -D -A -u --all --bytes --extended? --json --output: --noheadings --raw --tree --list --fs --paths --online --summary? --df --real --short --id --description --release --codename",
    operands: "text",
    inert: true,
    examples: { safe: ["lsblk -f", "lscpu", "findmnt -J"], notSafe: ["lsblk --frob"] },
  },
  {
    names: ["mount", "swapon"],
    options: "-l -s --show? --summary",
    operands: "none",
    examples: {
      safe: ["mount", "swapon --show"],
      notSafe: ["mount /dev/sda1 /mnt", "mount -o remount,rw /", "mount -a", "swapon -a"],
    },
  },
  {
    names: ["umask", "ulimit", "times", "jobs", "dirs", "caller"],
    options: "-S -p -a -H -b -c -d -e -f -i -k -l -m -n -q -r -s -t -u -v -x",
    operands: "none",
    examples: { safe: ["ulimit -a", "umask", "ulimit -n", "jobs"], notSafe: ["umask 000", "ulimit -n 9", "ulimit $x"] },
  },
  {
    names: ["lsb_release"],
    options: "-a -i -d -r -c -s --all --id --description --release --codename --short",
    operands: "none",
    runs: ["getopt", "cut", "tr"],
    examples: { safe: ["lsb_release -a"], notSafe: ["lsb_release --frob"] },
  },
  {
    names: ["vmstat", "iostat", "mpstat", "pidstat", "lastlog", "dmidecode"],
    options: "-a -c -d -f -h -k -m -n -p: -s -t -w -x -y -z -P: -u -r -S: -D -V --human --json",
    operands: "text",
    operandForm: "^\\w+$",
    examples: { safe: ["vmstat 1 5", "iostat -x 1 3"], notSafe: ["iostat --frob", "iostat -o x"] },
  },
  {
    names: ["w", "who", "last", "pstree", "pidof", "pmap", "pwdx", "lsattr", "getfacl", "namei", "getcap"],
    options:
      "-a -b -c -d -f -F -h -H -i -l -m -n# -p -q -r -R -s -t -T -u -w -x -A -N -X --all --count --heading --ascii --show-pids --long",
    operands: "text",
    dashNumber: true,
    inert: true,
    reliesOnJail: "data",
    examples: {
      safe: ["w", "who -a", "pidof node", "pstree -p", "last -5", "namei -l /usr/bin"],
      notSafe: ["last --frob"],
    },
  },
  {
    names: ["top"],
    options: "-b -c -H -i -n# -d# -p: -u: -U: -o: -w? -1 -e: -E: -S",
    operands: "none",
    requires: ["-b"],
    reliesOnJail: "data",
    examples: { safe: ["top -b -n 1", "top -bn1"], notSafe: ["top", "top -n 1", "top -b x"] },
  },
  {
    names: ["lsof"],
    // Not -D, which keeps a cache of devices, nor -m and -k, which name other memory and kernels.
    options: "-a -b -c: -d: -g: -i? -l -n -N -o -O -p: -P -R -s? -S? -t -T? -u: -U -w -X -x -r#",
    operands: "text",
    reliesOnJail: "data",
    examples: {
      safe: ["lsof -i :3000", "lsof -iTCP -sTCP:LISTEN -n -P", "lsof -ti:8080", "lsof -p 4312", "lsof -nP -i4TCP:3000"],
      notSafe: ["lsof -D b", "lsof --frob", "lsof -m x"],
    },
  },
  {
    names: ["ss"],
    // Not -K, -D, -F: they end connections, write or read filters.
    options:
      "-n -r -a -l -o -e -m -p -T -i -s -E -Z -z -N: -b -4 -6 -0 -t -S -u -d -w -x -f: -H -O -M -B --numeric --resolve --all --listening --options --extended --memory --processes --info " +
      "--summary --ipv4 --ipv6 --tcp --udp --unix --family: --no-header --oneline --net:",
    operands: "text",
    // A name of a machine would be looked up.
    operandForm:
      "^(?:state|exclude|all|connected|synchronized|bucket|big|established|listening|listen|closed|closing|syn-sent|syn-recv|fin-wait-[12]|time-wait|close-wait|last-ack|sport|dport|src|dst|and|or|not|eq|ne|gt|lt|ge|le|[\\s()=!<>:.\\d&|*])+$",
    reliesOnJail: "data",
    examples: {
      safe: ["ss -tlnp", "ss -tan state established", "ss -lntu 'sport = :22'"],
      notSafe: ["ss -K dst 1.2.3.4", "ss --kill", "ss -D x", "ss -F f"],
    },
  },
  {
    names: ["netstat"],
    options:
      "-a -A: -b -c -e -f: -g -i -l -L -m -n -N -o -p -r -R -s -t -u -v -w -W -x -z -4 -6 --all --listening --numeric --programs --tcp --udp --route --interfaces? --groups --statistics --wide",
    operands: "none",
    reliesOnJail: "data",
    examples: { safe: ["netstat -tulpn", "netstat -rn"], notSafe: ["netstat --frob"] },
  },
  {
    names: ["ip"],
    options:
      "-4 -6 -0 -s -d -br -brief -j -json -p -pretty -o -oneline -c -color? -h -human -details -statistics -family: -f: -V",
    clusters: "none",
    operands: "none",
    uses: [
      {
        commands: [
          ...[
            "addr",
            "address",
            "a",
            "link",
            "l",
            "route",
            "r",
            "neigh",
            "neighbor",
            "n",
            "rule",
            "maddr",
            "netns",
            "tunnel",
          ],
        ],
        options: "",
        operands: "none",
        reliesOnJail: "data",
      },
      {
        commands: [
          ...[
            "addr show",
            "addr list",
            "addr ls",
            "address show",
            "a show",
            "a s",
            "addr s",
            "link show",
            "link ls",
            "link list",
            "l show",
          ],
          ...[
            "route show",
            "route list",
            "route ls",
            "r show",
            "route get",
            "neigh show",
            "neigh list",
            "n show",
            "rule show",
            "rule list",
            "netns list",
          ],
        ],
        options: "",
        operands: "text",
        reliesOnJail: "data",
      },
    ],
    examples: {
      safe: [
        "ip addr",
        "ip a",
        "ip -br addr show",
        "ip route show default",
        "ip link show eth0",
        "ip -j addr show dev lo",
      ],
      notSafe: [
        "ip link set eth0 down",
        "ip route add default via x",
        "ip netns exec x sh",
        "ip addr flush dev x",
        "ip -b file",
        "ip route flush cache",
      ],
    },
  },
  {
    names: ["ifconfig", "iwconfig", "arp", "route"],
    options: "-a -s -n -e -v",
    operands: "text",
    operandForm: "^(?!flush$)[a-z]+[0-9.]*$",
    maxOperands: 1,
    reliesOnJail: "data",
    examples: {
      safe: ["ifconfig", "ifconfig eth0", "arp -a", "route -n"],
      notSafe: ["ifconfig eth0 down", "arp -d x", "route add default x", "route flush"],
    },
  },
  {
    names: ["systemctl"],
    // Not -H, -M, --root, --image, --force: other machines and other systems.
    options:
      "-a -l -n# -t: -o: -p: -P: -q -r --all --full --no-pager --plain --no-legend --legend: --lines# --output: --type: --state: --failed --user --system --property: --value --quiet --recursive --reverse " +
      "--after --before --with-dependencies --show-types --timestamp: --no-ask-password --version --help",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: [
          ...[
            "status",
            "show",
            "cat",
            "is-active",
            "is-enabled",
            "is-failed",
            "is-system-running",
            "list-units",
            "list-unit-files",
            "list-timers",
          ],
          ...[
            "list-sockets",
            "list-paths",
            "list-mounts",
            "list-automounts",
            "list-jobs",
            "list-machines",
            "list-dependencies",
            "get-default",
          ],
        ],
        options: "",
        operands: "text",
        reliesOnJail: "data",
      },
    ],
    examples: {
      safe: [
        "systemctl status nginx --no-pager",
        "systemctl --user list-units --type=service",
        "systemctl is-active ssh",
        "systemctl",
      ],
      notSafe: [
        "systemctl restart nginx",
        "systemctl --user restart app",
        "systemctl -H host status",
        "systemctl show-environment",
        "systemctl edit x",
        "systemctl status $x",
      ],
    },
  },
  {
    names: ["journalctl"],
    // Not --vacuum-*, --rotate, --flush, --sync, --setup-keys, --update-catalog, --file, --root, -D, --cursor-file.
    options:
      "-a -b? -e -f -g: -k -l -m -n? -o: -p: -q -r -S: -t: -u: -U: -x -N -F: --all --boot? --dmesg --follow --full --no-full --grep: --case-sensitive? --identifier: --lines? --list-boots --no-hostname " +
      "--no-pager --no-tail --output: --output-fields: --priority: --facility: --quiet --reverse --since: --until: --system --user --unit: --user-unit: --utc --catalog --disk-usage --fields --field: --header --show-cursor --cursor: --after-cursor:",
    operands: "text",
    operandForm: "^(_?[A-Z][A-Z_]*=[^/]*|\\+|\\d+)$",
    dashNumber: true,
    reliesOnJail: "data",
    examples: {
      safe: [
        "journalctl -u ssh -n 50 --no-pager",
        "journalctl -xe",
        "journalctl --since '1 hour ago' -p err",
        "journalctl -b -1 -k",
      ],
      notSafe: [
        "journalctl --vacuum-size=1M",
        "journalctl --rotate",
        "journalctl --file=x",
        "journalctl -D /x",
        "journalctl --flush",
      ],
    },
  },
  {
    names: ["dmesg"],
    // Not -C, -c, -D, -E, -n: they clear or silence.
    options:
      "-d -e -f: -F@ -H -k -l: -L? -p -P -r -S -s: -t -T -u -w -W -x -J --human --kernel --level: --facility: --ctime --nopager --color? --raw --json --reltime --follow",
    operands: "none",
    reliesOnJail: "data",
    examples: {
      safe: ["dmesg -T", "dmesg --level=err,warn"],
      notSafe: ["dmesg -C", "dmesg -c", "dmesg -n 1", "dmesg -F /etc/shadow"],
    },
  },
  {
    names: [
      "hostnamectl",
      "timedatectl",
      "localectl",
      "loginctl",
      "resolvectl",
      "networkctl",
      "nmcli",
      "machinectl",
      "coredumpctl",
      "systemd-analyze",
    ],
    options:
      "-a -l -n# -p: -t --all --full --no-pager --no-legend --json: --property: --static --transient --pretty --value -f: -g: --fields: --terse",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: [
          ...[
            "status",
            "show",
            "list",
            "list-sessions",
            "list-users",
            "session-status",
            "user-status",
            "show-session",
            "show-user",
            "list-timezones",
          ],
          ...[
            "timesync-status",
            "list-locales",
            "list-keymaps",
            "statistics",
            "device status",
            "device show",
            "connection show",
            "general status",
            "info",
          ],
          ...["time", "blame", "critical-chain", "unit-paths"],
        ],
        options: "",
        operands: "text",
        reliesOnJail: "data",
      },
      {
        commands: ["device", "connection", "general", "radio", "dns", "domain"],
        options: "",
        operands: "none",
        reliesOnJail: "data",
      },
    ],
    examples: {
      safe: [
        "timedatectl",
        "timedatectl status",
        "hostnamectl",
        "loginctl list-sessions",
        "nmcli device status",
        "systemd-analyze blame",
      ],
      notSafe: [
        "timedatectl set-time x",
        "hostnamectl set-hostname evil",
        "nmcli connection up x",
        "loginctl terminate-user x",
        "nmcli device disconnect x",
      ],
    },
  },
  {
    names: ["crontab"],
    options: "-l -u:",
    operands: "none",
    requires: ["-l"],
    reliesOnJail: "data",
    examples: {
      safe: ["crontab -l", "crontab -u me -l"],
      notSafe: ["crontab -r", "crontab -e", "crontab file", "crontab -l -r", "crontab"],
    },
  },
  {
    names: ["atq"],
    options: "-q:",
    operands: "none",
    reliesOnJail: "data",
    examples: { safe: ["atq"], notSafe: ["atq --frob"] },
  },
  {
    names: ["dpkg", "dpkg-query"],
    options:
      "-l -L -s -S -W -p -f: -I -c -V --verify --list --listfiles --status --search --show --print-avail --get-selections --print-architecture --audit --showformat: --no-pager --info --contents --version",
    operands: "text",
    runs: ["dpkg-query", "dpkg-deb", "dpkg-split"],
    requires: [
      ...[
        "-l",
        "-L",
        "-s",
        "-S",
        "-W",
        "-p",
        "-I",
        "-c",
        "--list",
        "--listfiles",
        "--status",
        "--search",
        "--show",
        "--print-avail",
        "--get-selections",
      ],
      ...["--print-architecture", "--audit", "--info", "--contents", "--version"],
    ],
    examples: {
      safe: [
        "dpkg -l",
        "dpkg -S /usr/bin/ls",
        "dpkg-query -W -f '${Package}\\n'",
        "dpkg --print-architecture",
        "dpkg -L bash",
      ],
      notSafe: [
        "dpkg -i x.deb",
        "dpkg --purge x",
        "dpkg -l --root=/x -i a",
        "dpkg -r x",
        "dpkg --pre-invoke=x -l",
        "dpkg",
      ],
    },
  },
  {
    names: ["apt", "apt-get"],
    options: "-q -a -V --installed --upgradable --all-versions --manual-installed --names-only --full",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: ["list", "show", "search", "policy", "depends", "rdepends", "showsrc"],
        options: "",
        runs: ["dpkg"],
        operands: "text",
      },
    ],
    examples: {
      safe: ["apt list --installed", "apt show curl", "apt search jq"],
      notSafe: ["apt install x", "apt-get update", "apt -o APT::x=y list", "apt list -c f", "apt-get source x"],
    },
  },
  {
    names: ["apt-cache"],
    options: "-q -a -f -n -i --names-only --full --installed --no-all-versions",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: [
          "policy",
          "show",
          "search",
          "depends",
          "rdepends",
          "showpkg",
          "madison",
          "pkgnames",
          "stats",
          "dump",
          "unmet",
        ],
        options: "",
        runs: ["dpkg"],
        operands: "text",
      },
    ],
    examples: {
      safe: ["apt-cache policy nodejs", "apt-cache search jq"],
      notSafe: ["apt-cache gencaches", "apt-cache -o x=y policy a"],
    },
  },
  {
    names: ["apt-mark"],
    options: "",
    operands: "none",
    uses: [{ commands: ["showhold", "showmanual", "showauto"], options: "", runs: ["dpkg"], operands: "text" }],
    examples: { safe: ["apt-mark showhold"], notSafe: ["apt-mark hold x"] },
  },
  {
    names: ["rpm"],
    options:
      "-q -a -i -l -f@ -c -d -s -R -p@ --query --all --info --list --file@ --requires --provides --changelog --queryformat: --qf: --last --whatprovides: --whatrequires: --scripts --verify -V",
    operands: "text",
    requires: ["-q", "--query"],
    examples: {
      safe: ["rpm -qa", "rpm -qi bash", "rpm -ql bash"],
      notSafe: ["rpm -i x.rpm", "rpm -e x", "rpm -q --eval x", "rpm -Uvh x.rpm", "rpm -qE x"],
    },
  },
  {
    names: ["dnf", "yum", "microdnf"],
    options: "-q -C --quiet --cacheonly --installed --available --all --showduplicates",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: [
          "list",
          "info",
          "search",
          "repolist",
          "provides",
          "repoquery",
          "check-update",
          "history list",
          "history info",
          "group list",
          "deplist",
        ],
        options: "",
        operands: "text",
        service: true,
      },
    ],
    examples: {
      safe: ["dnf list installed", "yum info bash"],
      notSafe: ["dnf install x", "dnf history undo 3", "yum -c x list"],
    },
  },
  {
    names: ["pacman"],
    options: "-Q -Qi -Ql -Qo -Qs -Qe -Qm -Qu -Qdt -Qq -Qqe -Qk -Si -Ss -F",
    clusters: "none",
    operands: "text",
    requires: ["-Q", "-Qi", "-Ql", "-Qo", "-Qs", "-Qe", "-Qm", "-Qu", "-Qdt", "-Qq", "-Qqe", "-Qk", "-Si", "-Ss"],
    examples: {
      safe: ["pacman -Q", "pacman -Qi bash", "pacman -Ss jq"],
      notSafe: ["pacman -S x", "pacman -Syu", "pacman -R x", "pacman -Q -r /x"],
    },
  },
  {
    names: ["apk"],
    options: "-q -v",
    operands: "none",
    uses: [
      {
        commands: ["info", "list", "search", "policy", "version", "stats"],
        options: "-a -e -d -I -L -R -r -v -q -i -u --all --installed --available --upgradable",
        operands: "text",
      },
    ],
    examples: { safe: ["apk info -vv", "apk list --installed"], notSafe: ["apk add x", "apk -p /x info", "apk del x"] },
  },
  {
    names: ["snap", "flatpak"],
    options: "",
    operands: "none",
    uses: [
      {
        commands: ["list", "info", "find", "search", "services", "connections", "version", "changes", "remotes"],
        options: "--all --app --runtime --columns: --verbose",
        operands: "text",
        service: true,
      },
    ],
    examples: { safe: ["snap list", "flatpak list --app"], notSafe: ["snap install x", "flatpak run x"] },
  },
  {
    names: ["brew"],
    options: "-v --version --prefix --cellar --repository --caskroom --env",
    operands: "none",
    uses: [
      {
        commands: [
          ...[
            "list",
            "ls",
            "info",
            "desc",
            "deps",
            "uses",
            "leaves",
            "outdated",
            "config",
            "commands",
            "options",
            "doctor",
            "missing",
            "tap-info",
            "formulae",
            "casks",
          ],
          ...["services list", "services info", "search", "abv", "cat", "bundle list", "bundle check"],
        ],
        options:
          "-1 -l -r -t -q -v --versions --formula --formulae --cask --casks --full-name --pinned --multiple --json? --installed --tree --include-build --include-test --recursive --greedy --quiet --verbose --all --installed-on-request",
        operands: "text",
        service: true,
      },
      { commands: ["tap"], options: "", operands: "none" },
    ],
    examples: {
      safe: ["brew list --versions", "brew info jq", "brew --prefix", "brew outdated", "brew services list"],
      notSafe: [
        "brew install jq",
        "brew upgrade",
        "brew services start x",
        "brew tap x/y",
        "brew bundle",
        "brew cleanup",
        "brew doctor $x",
      ],
    },
  },
  {
    names: ["scutil"],
    // Without one of these it takes commands from its input.
    options: "--dns --proxy --get:",
    clusters: "none",
    operands: "none",
    requires: ["--dns", "--proxy", "--get"],
    reliesOnJail: true,
    examples: {
      safe: ["scutil --dns", "scutil --get HostName"],
      notSafe: ["scutil", "scutil < f", "scutil --set HostName x", "scutil --dns x"],
    },
  },
  {
    names: ["sw_vers", "vm_stat", "system_profiler", "pmset", "ioreg"],
    options: "-productName -productVersion -buildVersion -detailLevel: -json -xml -g -l -w# -r -c: -d# -n: -p:",
    clusters: "none",
    operands: "text",
    operandForm: "^(SP\\w+|[a-z]+|\\d+)$",
    reliesOnJail: "data",
    examples: {
      safe: ["sw_vers", "system_profiler SPHardwareDataType", "pmset -g"],
      notSafe: ["pmset -a sleep 0"],
    },
  },
  {
    names: ["diskutil", "launchctl"],
    options: "",
    operands: "none",
    uses: [
      {
        commands: ["list", "info", "apfs list", "print", "print-disabled", "blame"],
        options: "-plist -all",
        clusters: "none",
        operands: "text",
        reliesOnJail: "data",
      },
    ],
    examples: {
      safe: ["diskutil list", "launchctl list"],
      notSafe: ["diskutil eraseDisk x", "launchctl load x", "launchctl bootout x"],
    },
  },
  {
    names: ["xcode-select", "xcodebuild"],
    options: "-p -version -list -showsdks --print-path --version",
    clusters: "none",
    operands: "none",
    requires: ["-p", "-version", "-list", "-showsdks", "--print-path", "--version"],
    reliesOnJail: "data",
    examples: {
      safe: ["xcode-select -p", "xcodebuild -version", "xcodebuild -list"],
      notSafe: ["xcode-select -s x", "xcodebuild -scheme x", "xcodebuild"],
    },
  },
  {
    names: ["sysctl"],
    options: "-a -A -n -N -e -q -b --all --values --names --ignore --pattern: -r:",
    operands: "text",
    operandForm: "^[\\w.*/-]+$",
    reliesOnJail: "data",
    examples: {
      safe: ["sysctl -a", "sysctl kernel.hostname", "sysctl -n hw.ncpu"],
      notSafe: ["sysctl -w a=b", "sysctl a=b", "sysctl -p f", "sysctl --system"],
    },
  },
  {
    names: ["getent"],
    // Not -s: it names a library that is loaded.
    options: "",
    operands: "text",
    operandForm: "^(?!a?hosts|g?shadow$)([a-z_][a-z0-9_-]*|\\d+)$",
    examples: {
      safe: ["getent passwd me", "getent group"],
      notSafe: [
        "getent hosts x.io",
        "getent shadow",
        "getent ahosts x.io",
        "getent -s files passwd",
        "getent --service=x passwd",
      ],
    },
  },
  {
    names: ["locale", "tput", "stty", "clear"],
    options: "-a -k -c -m --all-locales --charmaps",
    operands: "text",
    operandForm: "^(cols|lines|colors|bold|sgr0|setaf|setab|reset|size|LC_\\w+|charmap|\\d+)$",
    examples: { safe: ["locale", "tput cols", "stty size", "stty -a"], notSafe: ["stty raw", "stty -F /dev/x"] },
  },
  {
    names: ["man", "apropos", "whatis"],
    // Not -P, -H, -T, -C, -B, -X, -Z, --html, --pager: they run programs. Nor -l: a local file is a program for groff.
    options:
      "-a -k -f -w -W -s: -S: -K -e --all --apropos --whatis --where --path --sections: --names-only --exact --long",
    operands: "text",
    operandForm: "^[\\w.:+[-]+$",
    runs: [
      "groff",
      "nroff",
      "troff",
      "grotty",
      "tbl",
      "preconv",
      "eqn",
      "col",
      "less",
      "pager",
      "locale",
      "sh",
      "gzip",
      "zsoelim",
      "manconv",
      "cat",
    ],
    examples: {
      safe: ["man ls", "man 5 crontab", "apropos socket"],
      notSafe: ["man -P 'sh -c id' ls", "man --pager=x ls", "man -H ls", "man ./x", "man -C f ls", "man -l x.1"],
    },
  },
  {
    names: ["help"],
    options: "-d -m -s",
    operands: "text",
    inert: true,
    examples: { safe: ["help cd"], notSafe: ["help -x"] },
  },
  {
    names: ["cal", "ncal", "factor", "uuidgen"],
    options: "-1 -3 -y -m: -j -n# -s -r -t --random --time --monday --sunday",
    operands: "text",
    inert: true,
    examples: { safe: ["cal 2026", "factor 42", "uuidgen"], notSafe: ["cal --frob"] },
  },
  {
    names: ["expr", "yes"],
    options: "",
    operands: "text",
    inert: true,
    noOptions: true,
    examples: { safe: ["expr 1 + 2", "yes"], notSafe: ["expr $(unknown-tool)"] },
  },
  {
    names: ["pr"],
    options:
      "-a -b -c -d -F -f -J -l# -m -n? -N# -o# -r -t -T -v -w# -W# -h: -s? -S? --across --columns# --double-space --length# --merge --header: --omit-header --width# --number-lines?",
    operands: "paths",
    dashNumber: true,
    inert: true,
    examples: { safe: ["pr -2 -l 40 list.txt"], notSafe: ["pr --frob a", "pr .env"] },
  },
  {
    names: ["locate", "plocate", "mlocate"],
    options:
      "-A -b -c -e -i -l# -n# -p -r: -w -0 --all --basename --count --existing --ignore-case --limit# --regexp: --regex --wholename --null",
    operands: "text",
    reliesOnJail: "data",
    examples: { safe: ["locate -b '\\\\libcrypto.so'"], notSafe: ["locate -d /tmp/x a", "locate --database=x a"] },
  },
  {
    names: ["numfmt", "iconv", "shuf", "tsort", "fmt", "look"],
    options:
      "-f: -t: -l -c -s -i: -e -n# -r -z -w# -u -p: -d: --from: --to: --from-unit: --to-unit: --suffix: --padding: --grouping --format: --field: --header? --delimiter: --round: " +
      "--from-code: --to-code: --list --echo --head-count: --input-range: --repeat --zero-terminated --width# --uniform-spacing --split-only",
    operands: "paths",
    examples: {
      safe: ["numfmt --to=iec", "iconv -f latin1 -t utf-8 a.txt", "shuf -n 5 words.txt", "fmt -w 72 notes.txt"],
      notSafe: ["iconv -o out a", "shuf -o out a", "shuf --random-source=x a", "iconv --output=x a"],
    },
  },
  {
    names: ["less", "more"],
    // Not -o, -O, -k, -t, --tag, +command: they write, load keys or run programs.
    options:
      "-N -S -R -r -X -F -E -e -i -I -n -M -m -s -u -w -W -x# -z# -c -d -f -p --LINE-NUMBERS --chop-long-lines --RAW-CONTROL-CHARS --no-init --quit-if-one-screen --ignore-case",
    operands: "paths",
    operandForm: "^[^+]",
    reliesOnJail: "data",
    examples: {
      safe: ["less README.md", "less -N src/a.ts"],
      notSafe: ["less '+!id' a", "less -o x a", "less .env", "more +/x a", "less -k keys a"],
    },
  },
  {
    names: ["nvidia-smi"],
    options: "-L -q -d: -i: -l# --list-gpus --query --query-gpu: --query-compute-apps: --format: --id: --loop#",
    operands: "none",
    reliesOnJail: "data",
    examples: {
      safe: ["nvidia-smi", "nvidia-smi --query-gpu=memory.used --format=csv"],
      notSafe: ["nvidia-smi -pl 100", "nvidia-smi --gpu-reset", "nvidia-smi -f out"],
    },
  },
];
