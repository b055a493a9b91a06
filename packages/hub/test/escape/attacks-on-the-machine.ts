import type { Attack } from "./attack.ts";
import { SECRET } from "./world.ts";

const TALK = (family: string, address: string) =>
  `perl -MSocket -e 'socket(S, ${family}, SOCK_STREAM, 0) && connect(S, ${address}) or exit 1; exit(<S> ? 0 : 1)'`;
const TALK_TO_FILE = TALK("AF_UNIX", "sockaddr_un($ARGV[0])");

const SOCKETS: readonly Attack[] = [
  ...Array.from(
    { length: 6 },
    (_, at): Attack => ({
      name: `talk to service ${at} by its file`,
      script: `[ -n "$STREAM_${at}" ] && ${TALK_TO_FILE} "$STREAM_${at}"`,
    }),
  ),
  {
    name: "talk to a service of the workspace from its directory, moved away",
    script: `cd "$WORKSPACE" && mv sub moved && { ${TALK_TO_FILE} moved/service.sock; heard=$?; mv moved sub; exit $heard; }`,
  },
  {
    name: "send a datagram to a service's file",
    script: `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_DGRAM, 0) or exit 1; defined send(S, "x", 0, sockaddr_un($ARGV[0])) or exit 1' "$DATAGRAM"`,
  },
  {
    name: "send it from a socket that was made as one of a pair",
    script: `perl -MSocket -e 'socketpair(S, T, AF_UNIX, SOCK_DGRAM, 0) or exit 1; defined send(S, "x", 0, sockaddr_un($ARGV[0])) or exit 1' "$DATAGRAM"`,
    unjailed: "nobody", // A kernel may refuse it: it is connected to the other one.
  },
  { name: "talk to an abstract socket", script: `${TALK("AF_UNIX", `pack("Sa*", 1, "\\0" . $ARGV[0])`)} "$ABSTRACT"` },
  {
    name: "talk to a service on this machine's loopback",
    script: `read -t 2 -r heard < "/dev/tcp/127.0.0.1/$TCP_PORT"`,
  },
  {
    name: "talk to it through a proxy",
    script: `proxy=\${http_proxy:-http://127.0.0.1:$TCP_PORT} && proxy=\${proxy#http://} && proxy=\${proxy%/} && proxy=\${proxy##*@}
      exec 3<> "/dev/tcp/\${proxy%:*}/\${proxy##*:}" && printf 'CONNECT 127.0.0.1:%s HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' "$TCP_PORT" >&3
      timeout 2 grep -qE -m 1 'heard|^HTTP/1.. 200' <&3`,
  },
  {
    name: "send a datagram on loopback",
    script: `exec 3<> "/dev/udp/127.0.0.1/$UDP_PORT" && echo x >&3 && read -t 2 -r -n 1 heard <&3 && [ "$heard" = h ]`,
  },
  { name: "reach the hub's port", script: `exec 3<> "/dev/tcp/127.0.0.1/$HUB_PORT"` },
  {
    name: "reach the hub's socket",
    script: `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un($ARGV[0])) or exit 1' "$OWN_HOME/run/hub.sock"`,
  },
];

const PROCESSES: readonly Attack[] = [
  { name: "read a process's environment", script: `cat /proc/[0-9]*/environ | grep -qa WORD=${SECRET}` },
  { name: "read the hub's environment", script: `grep -qa WORD=${SECRET} "/proc/$HUB/environ"` },
  {
    name: "read the hub's memory",
    script: `perl -e 'open(F, "<", "/proc/$ENV{HUB}/mem") or exit 1'`,
    unjailed: "root",
  },
  { name: "see what other processes are", script: `grep -qa words=${SECRET} "/proc/$VICTIM/cmdline"` },
  { name: "inherit a secret variable", script: `env | grep -q ${SECRET} || [ -n "$COUNTERSIGN_TOKEN" ]` },
  {
    name: "find a descriptor that isn't its own",
    script: `for fd in /proc/$BASHPID/fd/*; do fd=\${fd##*/}
      [ "$fd" -gt 2 ] && [ "$fd" != 255 ] && [ -e "/proc/$BASHPID/fd/$fd" ] && exit 0; done; exit 1`,
  },
  { name: "signal a process outside", script: `kill -0 "$VICTIM" || kill -0 "$HUB"` },
  { name: "change how a process outside is scheduled", script: `renice -n 19 -p "$VICTIM"` },
  {
    name: "trace a process outside",
    script: `perl -e 'syscall(101, 16, $ENV{VICTIM} + 0, 0, 0) == 0 or exit 1'`,
    unjailed: "nobody",
  },
  { name: "leave a core dump", script: `[ "$(ulimit -H -c)" != 0 ]`, unjailed: "nobody" },
  { name: "share memory with a process outside", script: `[ -e "/dev/shm/$ABSTRACT" ]` },
];

const KERNEL: readonly Attack[] = [
  { name: "make a user namespace", script: `unshare --user --map-root-user true`, unjailed: "nobody" },
  {
    name: "make any other namespace",
    script: `for one in mount pid net ipc uts; do unshare "--$one" true && exit 0; done; exit 1`,
    unjailed: "root",
  },
  {
    name: "mount",
    script: `mount -t tmpfs x /mnt || mount --bind /usr /mnt || mount -o remount,rw,bind / || umount /tmp`,
    unjailed: "nobody",
  },
  {
    name: "unmount what hides something",
    script: `umount -l "$WORKSPACE/.env" || umount -l /home || umount -l "$HOME_DIR"`,
    unjailed: "nobody",
  },
  {
    name: "have capabilities",
    script: `! grep -qE '^Cap(Inh|Prm|Eff|Bnd|Amb):\\s*0+$' /proc/self/status || grep -E '^Cap' /proc/self/status | grep -qvE ':\\s*0+$'`,
    unjailed: "nobody",
  },
  { name: "gain privileges by a program", script: `grep -q '^NoNewPrivs:.*0$' /proc/self/status` },
  { name: "be without a filter of system calls", script: `grep -q '^Seccomp:.*0$' /proc/self/status` },
  {
    name: "change a setting of the kernel",
    script: `cat /proc/sys/kernel/domainname > /proc/sys/kernel/domainname || [ -w /proc/sys/kernel/core_pattern ] || [ -w /proc/sysrq-trigger ]`,
    unjailed: "root",
  },
  {
    name: "change anything in /sys",
    script: `[ -n "$(find /sys -maxdepth 3 -type f -writable -print -quit)" ]`,
    unjailed: "root",
  },
  {
    name: "join another control group",
    script: `for at in $(find /sys/fs/cgroup -maxdepth 2 -name cgroup.procs); do [ -w "$at" ] && exit 0; done; exit 1`,
    unjailed: "root",
  },
  {
    name: "open a disk or the memory",
    script: `for at in /dev/mem /dev/kmsg /dev/vda /dev/sda /dev/nvme0n1 /dev/fuse /dev/kvm /dev/net/tun; do [ -e "$at" ] && exit 0; done; exit 1`,
    unjailed: "nobody",
  },
  {
    name: "type into a terminal",
    script: `exec 3<> /dev/ptmx && perl -e '$x = "x"; open(F, "+<&=3") && ioctl(F, 0x5412, $x) or exit 1'`,
    unjailed: "nobody",
  },
  { name: "have a terminal", script: `: < /dev/tty`, unjailed: "nobody" },
  { name: "name the machine", script: `hostname "$(hostname)"`, unjailed: "nobody" },
  { name: "set the clock", script: `date -s "$(date -R)"`, unjailed: "nobody" },
];

export const MACHINE_ATTACKS: readonly Attack[] = [...SOCKETS, ...PROCESSES, ...KERNEL];
