import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { seccompProgram } from "./program.ts";
import { argumentRules, CALL_RULES } from "./rules.ts";
import { ARCHITECTURES, type Architecture, LAST_KNOWN_SYSCALL, SYSCALLS, type Syscall } from "./syscalls.ts";

const ALLOW = "allow";
const KILL = "kill";
const ANSWERS: Record<number, string> = {
  2147418112: ALLOW,
  2147483648: KILL,
  327681: "EPERM",
  327718: "ENOSYS",
  327777: "EAFNOSUPPORT",
};
const BOTH = Object.keys(ARCHITECTURES) as Architecture[];

/** What the kernel would do with this program: it is a machine with one register. */
function judge(program: Buffer, call: { audit: number; number: number; args?: readonly number[] }): string | undefined {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number, 0);
  data.writeUInt32LE(call.audit, 4);
  call.args?.forEach((arg, index) => {
    data.writeBigUInt64LE(BigInt(arg), 16 + index * 8);
  });
  let register = 0;
  for (let at = 0; at < program.length; at += 8) {
    const k = program.readUInt32LE(at + 4);
    const jump = (yes: boolean) => {
      at += 8 * program.readUInt8(at + (yes ? 2 : 3));
    };
    const code = program.readUInt16LE(at);
    if (code === 0x20) register = data.readUInt32LE(k);
    else if (code === 0x54) register = (register & k) >>> 0;
    else if (code === 0x15) jump(register === k);
    else if (code === 0x25) jump(register > k);
    else if (code === 0x45) jump((register & k) !== 0);
    else if (code === 0x06) return ANSWERS[k];
    else assert.fail(`the code ${code}`);
  }
  return assert.fail("the program ran over its end");
}

function judged(arch: Architecture, call: Syscall | number, args: readonly number[] = [], unixSockets = true) {
  const program = seccompProgram(arch, { unixSockets });
  const number = typeof call === "number" ? call : SYSCALLS[call][arch];
  assert.ok(program && number !== undefined);
  return judge(program, { audit: ARCHITECTURES[arch], number, args });
}

/** `#define __NR_name 123`; some names have a prefix where 32-bit machines have another call. */
function numbersIn(header: string): Map<string, number> {
  const text = readFileSync(header, "utf8");
  return new Map([...text.matchAll(/^#define\s+__NR(?:3264)?_(\w+)\s+(\d+)/gm)].map((m) => [m[1] ?? "", Number(m[2])]));
}

const HEADERS: Record<Architecture, readonly string[]> = {
  x64: ["/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"],
  arm64: ["/usr/include/asm-generic/unistd.h"],
};

for (const arch of BOTH) {
  const header = HEADERS[arch].find((path) => existsSync(path));
  const skip = header === undefined && "install the kernel's headers (linux-libc-dev) to run this";
  test(`the numbers for ${arch} are the kernel's`, { skip }, () => {
    const kernel = numbersIn(header ?? "");
    assert.ok(kernel.size > 250);
    const last = Math.max(...kernel.values());
    const wrong = Object.entries(SYSCALLS).filter(([name, numbers]) => {
      const number = numbers[arch];
      // The header may be older than the call.
      return number === undefined || number <= last ? kernel.get(name) !== number : kernel.has(name);
    });
    assert.deepEqual(wrong, []);
  });
}

test("every call in the table has a rule, and none is refused by two", () => {
  const always = CALL_RULES.flatMap((rule) => rule.calls);
  const byArguments = new Set(argumentRules({ unixSockets: false }).flatMap((rule) => rule.calls));
  assert.deepEqual([...always, ...byArguments].sort(), Object.keys(SYSCALLS).sort());
});

test("what is refused is what the table says, on both architectures, and everything else is allowed", () => {
  for (const arch of BOTH) {
    const refused = new Map(
      CALL_RULES.flatMap(({ calls, errno }) => calls.map((call) => [SYSCALLS[call][arch] as number, errno])),
    );
    // With arguments that offend nobody: a file of mode 0, a route socket, a pair of streams.
    const plain = new Map<number, number[]>([
      [SYSCALLS.socket[arch], [16, 3, 0]],
      [SYSCALLS.socketpair[arch], [1, 1]],
    ]);
    for (let number = 0; number <= LAST_KNOWN_SYSCALL; number += 1) {
      const expected = refused.get(number) ?? ALLOW;
      assert.equal(judged(arch, number, plain.get(number) ?? [], false), expected, `${arch} ${number}`);
    }
  }
});

test("numbers that nobody knows, and those of the x32 ABI, don't exist", () => {
  for (const number of [LAST_KNOWN_SYSCALL + 1, 512, 547, 0x40000000, 0x40000000 + 101, 0x40000000 + 512, 0xffffffff]) {
    for (const arch of BOTH) assert.equal(judged(arch, number), "ENOSYS", `${arch} ${number}`);
  }
});

test("a call of another architecture ends the process, whatever it is", () => {
  const i386 = 0x40000003;
  const arm = 0x40000028;
  for (const arch of BOTH) {
    const other = ARCHITECTURES[arch === "x64" ? "arm64" : "x64"];
    const program = seccompProgram(arch, { unixSockets: true }) ?? Buffer.alloc(0);
    for (const audit of [i386, arm, other, 0]) {
      for (const number of [0, 20, 39, 0xffffffff]) assert.equal(judge(program, { audit, number }), KILL);
    }
  }
});

test("of all families of sockets only these four, and of netlink only routes", () => {
  const families = Array.from({ length: 64 }, (_, family) => family);
  for (const arch of BOTH) {
    const allowed = (unixSockets: boolean) =>
      families.filter((family) => judged(arch, "socket", [family, 1, 0], unixSockets) === ALLOW);
    assert.deepEqual(allowed(true), [1, 2, 10, 16]);
    assert.deepEqual(allowed(false), [2, 10, 16]);
    const protocols = families.filter((protocol) => judged(arch, "socket", [16, 3, protocol]) === ALLOW);
    assert.deepEqual(protocols, [0]);
    const pairs = families.filter((family) => judged(arch, "socketpair", [family, 1, 0]) === ALLOW);
    assert.deepEqual(pairs, [1]);
  }
});

test("each flag that makes a namespace is refused, alone and among others", () => {
  const namespaces = [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000];
  for (const arch of BOTH) {
    for (const flag of namespaces) {
      for (const call of ["clone", "unshare"] as const) {
        for (const flags of [flag, flag + 0x400, flag + 2 ** 32]) assert.equal(judged(arch, call, [flags]), "EPERM");
      }
    }
    assert.equal(judged(arch, "unshare", [0x80]), "EPERM");
    const thread = 0x3d0f00;
    assert.equal(judged(arch, "clone", [thread]), ALLOW);
  }
});

test("where there is no table there is no program", () => {
  for (const arch of ["ia32", "arm", "riscv64", "s390x", "constructor" as NodeJS.Architecture] as const) {
    assert.equal(seccompProgram(arch, { unixSockets: true }), undefined);
  }
});
