/** Whether this is a machine for which `disarmFirst` has code. */
export const canDisarm = process.arch === "x64" && process.platform === "linux";

/**
 * A program that overwrites the jail's first process, which waits for children, so that it doesn't end with its parent any more, leaves `daemon` in a
 * session of its own and stays. It says "disarmed" when that is done, and "kept out" where the kernel doesn't let it (Yama).
 */
export function disarmFirst(daemon: string): string {
  return `exec /usr/bin/python3 -I -c '${SCRIPT}' ${daemon}`;
}

// prctl(PR_SET_PDEATHSIG, 0), and then pause() for ever.
const CODE = "b89d000000" + "bf01000000" + "31f6" + "0f05" + "b822000000" + "0f05" + "ebf7";

const SCRIPT = `
import os, subprocess, sys, time
def call(): return open("/proc/1/syscall").read().split()
try:
    # It may not wait for children yet (wait4).
    while (waits := call())[0] != "61": time.sleep(0.001)
    with open("/proc/1/mem", "r+b", buffering=0) as memory:
        memory.seek(int(waits[-1], 16))
        memory.write(bytes.fromhex("${CODE}"))
except OSError:
    print("kept out", flush=True)
else:
    # An orphan is a child of the first process, which goes on by its end.
    if os.fork() == 0:
        if os.fork() == 0: time.sleep(0.01)
        os._exit(0)
    os.wait()
    # pause
    while call()[0] != "34": time.sleep(0.001)
    print("disarmed", flush=True)
nowhere = subprocess.DEVNULL
subprocess.Popen(sys.argv[1:], start_new_session=True, stdin=nowhere, stdout=nowhere, stderr=nowhere)
time.sleep(1000)
`;
