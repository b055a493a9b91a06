import { type DangerPattern, danger, list } from "./danger-pattern.ts";

/** Other rights, other accounts, other name spaces. */
export const PRIVILEGE_DANGERS: readonly DangerPattern[] = [
  danger({
    id: "accounts",
    programs: list(
      `setcap visudo usermod useradd userdel groupadd groupdel groupmod adduser deluser addgroup delgroup passwd chpasswd newusers
      chsh chfn gpasswd vipw vigr chage pwconv authconfig authselect pam-auth-update sysadminctl dscl dseditgroup pwpolicy kadmin
      kadmin.local realm smbpasswd htpasswd lchage`,
    ),
    unless: { words: ["-S", "-l", "--status", "list", "-list", "-read", "-o=checkmember", "-h", "--help"] },
    kind: "privilege",
    says: "changes rights or accounts of the system",
    matches: [
      "setcap cap_setuid+ep /usr/bin/python3",
      "usermod -aG docker me",
      "passwd root",
      "dscl . -create /Users/eve",
    ],
    misses: ["id -un", "getcap x", "chage -l me", "dscl . -list /Users"],
  }),
  danger({
    id: "su",
    programs: list(
      `su runuser login sudoedit sudo-rs gosu su-exec setpriv dzdo pfexec run0 please calife super sg newgrp capsh gksudo gksu kdesu
      kdesudo machinectl`,
    ),
    unless: { words: ["list", "status", "--print", "--version", "--help", "list-images", "show"] },
    kind: "privilege",
    says: "runs with other rights",
    matches: ["su -c 'id'", "gosu root sh", "sg docker -c 'docker ps'", "machinectl shell root@"],
    misses: ["ls su", "machinectl list"],
  }),
  danger({
    id: "namespaces",
    programs: list("nsenter chroot pivot_root systemd-nspawn schroot debootstrap lxc-attach lxc-execute"),
    kind: "privilege",
    says: "enters another root or the name spaces of another process",
    matches: ["nsenter -t 1 -m -u -n -i sh", "chroot /mnt /bin/bash"],
    misses: ["ls /mnt"],
  }),
  danger({
    id: "osascript.admin",
    programs: ["osascript"],
    contains: ["administrator privileges", "do shell script"],
    kind: "privilege",
    says: "AppleScript runs shell text or asks for other rights",
    matches: ["osascript -e 'do shell script \"id\" with administrator privileges'"],
    misses: ["osascript -e 'display notification \"done\"'"],
  }),
  danger({
    id: "process.memory",
    programs: ["gcore", "procdump", "reptyr"],
    kind: "credentials",
    says: "reads or takes over another process",
    matches: ["gcore 1234"],
    misses: ["pgrep node"],
  }),
  danger({
    id: "process.attach",
    programs: list("gdb lldb strace ltrace rr frida frida-trace py-spy"),
    flags: "p",
    long: ["pid", "attach-pid"],
    form: "^attach$",
    kind: "privilege",
    says: "attaches to another process",
    matches: ["gdb -p 1", "strace -fp 812"],
    misses: ["gdb ./a.out core", "strace ls"],
  }),
  danger({
    id: "lxc.privileged",
    programs: list("lxc incus lxd multipass"),
    contains: ["security.privileged=true", "raw.lxc", "source=/"],
    kind: "privilege",
    says: "a container with the rights of the host",
    matches: ["lxc launch x y -c security.privileged=true", "lxc config device add y d disk source=/ path=/mnt"],
    misses: ["lxc list"],
  }),
  danger({
    id: "polkit.allow",
    programs: list("authorizationdb pkaction security busctl dbus-send gdbus"),
    contains: [
      "authorizationdb write",
      "org.freedesktop.policykit",
      "org.freedesktop.login1",
      "accounts.user.setpassword",
      "systemd1",
    ],
    and: { form: "Set|Start|Enable|Power|Reboot|write|Create|Transient" },
    kind: "privilege",
    says: "asks a system service for other rights",
    matches: ["busctl call org.freedesktop.systemd1 /x org.freedesktop.systemd1.Manager StartTransientUnit"],
    misses: ["busctl list"],
  }),
];
