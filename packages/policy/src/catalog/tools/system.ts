import type { Tool } from "./tool.ts";

/** Tools that tell about the machine, and builtins that only print. */
export const SYSTEM_TOOLS: readonly Tool[] = [
  {
    names: ["echo", "true", "false", ":"],
    options: "",
    operands: "text",
    inert: true,
    noOptions: true,
    examples: {
      safe: [
        "echo -n hello",
        'echo "sudo is bad"',
        "echo $HOME",
        "echo '$(rm -rf ~)'",
        "true",
        ": x",
        "echo $((3 * 7 + 1))",
      ],
      notSafe: [
        'echo "${a:=$(id)}"',
        "echo $((a[$(id)]))",
        "echo ${!x}",
        "echo ${x@P}",
        "echo x > f",
        "echo $(unknown-tool)",
      ],
    },
  },
  {
    names: ["printf"],
    // Not -v: it assigns, and a subscript in the name runs code.
    options: "",
    operands: "format",
    optionsFirst: true,
    examples: {
      safe: ["printf '%s\\n' alpha beta", "printf -- '%d' 3", "printf '%s' \"$x\"", "printf '%5.2f%%' 3"],
      notSafe: ["printf -v 'a[$(id)]' x", 'printf "$x"', "printf $x", "printf '%n' 'a[$(id)]'", "printf '%5n' x"],
    },
  },
  {
    names: ["exit", "return", "break", "continue"],
    options: "",
    operands: "text",
    inert: true,
    noOptions: true,
    examples: { safe: ["exit 1", "for f in a b; do break; done"], notSafe: ["exit $(unknown-tool)"] },
  },
  {
    names: ["seq"],
    options: "-f: -s: -w --format: --separator: --equal-width",
    operands: "text",
    inert: true,
    dashNumber: true,
    examples: { safe: ["seq 1 10", "seq -5 5"], notSafe: ["seq --frob 1"] },
  },
  {
    names: ["sleep"],
    options: "",
    operands: "text",
    operandForm: "^[0-9]+(\\.[0-9]+)?[smh]?$",
    examples: { safe: ["sleep 1", "sleep 0.5"], notSafe: ["sleep $x", "sleep infinity"] },
  },
  {
    names: ["date"],
    // Not -s, and no operand but a format: they set the clock.
    options:
      "-d: -f@ -I -R -r@ -u --date: --file@ --iso-8601? --rfc-email --rfc-3339: --reference@ --utc --universal --debug",
    operands: "text",
    operandForm: "^\\+",
    examples: {
      safe: ["date", "date +%Y-%m-%d", "date -u +%FT%TZ", "date -d yesterday"],
      notSafe: ["date -s 2020-01-01", "date 01010000", "date --set=x", "date -f /etc/shadow", "date $x"],
    },
  },
  {
    names: ["whoami", "nproc", "uptime", "tty", "arch", "logname", "users"],
    options: "-p -s --all --ignore: --pretty --since --silent --quiet",
    operands: "none",
    inert: true,
    examples: { safe: ["whoami", "nproc", "uptime"], notSafe: ["uptime --frob"] },
  },
  {
    names: ["id", "groups"],
    options: "-a -g -G -n -r -u -z --group --groups --name --real --user --zero",
    operands: "text",
    inert: true,
    examples: { safe: ["id -un", "id"], notSafe: ["id --frob"] },
  },
  {
    names: ["uname"],
    options:
      "-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system",
    operands: "none",
    inert: true,
    examples: { safe: ["uname -a"], notSafe: ["uname --frob"] },
  },
  {
    names: ["hostname"],
    // Not -f, -d, -i, -A: they ask for the name in the network.
    options: "-s -I --short --all-ip-addresses",
    operands: "none",
    examples: {
      safe: ["hostname", "hostname -s"],
      notSafe: ["hostname -f", "hostname evil", "hostname -F f", "hostname $x"],
    },
  },
  {
    names: ["which"],
    options: "-a -s --all",
    operands: "text",
    inert: true,
    examples: { safe: ["which node python3"], notSafe: ["which --frob x"] },
  },
  {
    names: ["type"],
    options: "-a -f -p -P -t",
    operands: "text",
    inert: true,
    examples: { safe: ["type -a python"], notSafe: ["type -x python"] },
  },
  {
    names: ["printenv"],
    options: "-0 --null",
    operands: "text",
    inert: true,
    reliesOnJail: "data",
    examples: { safe: ["printenv", "printenv LANG"], notSafe: ["printenv --frob"] },
  },
  {
    names: ["ps"],
    // Not `e` without a dash: it shows other processes' environments.
    options:
      "-a -A -d -e -f -F -H -j -l -L -o: -p: -q: -t: -T -u: -U: -w -x -y -C: --format: --forest --no-headers --sort: --pid: --ppid: --user: --width:",
    operands: "text",
    operandForm: "^([aufxjlrTwo]+|[a-z%_]+(=|(,[a-z%_=]+)+)|\\d+)$",
    reliesOnJail: "data",
    examples: {
      safe: ["ps aux", "ps -ef --forest", "ps -eo pid,ppid,cmd", "ps axo pid,comm"],
      notSafe: ["ps auxe", "ps $x"],
    },
  },
  {
    names: ["free"],
    options:
      "-b -k -m -g -h -l -t -w --bytes --kibi --mebi --gibi --human --si --kilo --mega --giga --lohi -s# -c# --seconds# --count# --total --wide",
    operands: "none",
    inert: true,
    examples: { safe: ["free -m"], notSafe: ["free --frob"] },
  },
  {
    names: ["getconf"],
    options: "-a",
    operands: "text",
    inert: true,
    examples: { safe: ["getconf PAGE_SIZE"], notSafe: ["getconf -x"] },
  },
  {
    names: ["pgrep"],
    options:
      "-a -c -d: -f -g: -G: -i -l -n -o -P: -s: -t: -u: -U: -v -w -x --list-name --list-full --full --newest --oldest --exact --count",
    operands: "text",
    inert: true,
    reliesOnJail: "data",
    examples: { safe: ["pgrep -fl vite"], notSafe: ["pgrep --frob x"] },
  },
];
