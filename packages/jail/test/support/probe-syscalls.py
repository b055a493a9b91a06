# Makes system calls and tells what each answered. Reads [[name, number, [argument, ...]], ...] as JSON from its first
# argument, prints {name: "ok" | errno's name | signal's name}. Each is made by a child of its own, so that none of them
# disturbs the next. An argument that is text is the address of that text.
import ctypes, errno, json, os, signal, sys

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def value(argument):
    if isinstance(argument, str):
        return ctypes.c_char_p(argument.encode())
    return ctypes.c_ulong(argument & 0xFFFFFFFFFFFFFFFF)


def call(number, arguments):
    result = libc.syscall(ctypes.c_long(number), *[value(argument) for argument in arguments])
    return "ok" if result >= 0 else errno.errorcode[ctypes.get_errno()]


# int 0x80 enters the kernel as a 32-bit program does: mov eax, 20 (getpid); int 0x80; ret
def call_as_32_bit():
    import mmap
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(bytes.fromhex("b814000000cd80c3"))
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    return "ok"


def probe(number, arguments):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        answer = call_as_32_bit() if number == "32-bit" else call(number, arguments)
        os.write(writer, answer.encode() + b"\n")
        os._exit(0)
    os.close(writer)
    answer = os.read(reader, 100).decode().split("\n")[0]
    os.close(reader)
    _, status = os.waitpid(child, 0)
    return answer or signal.Signals(os.WTERMSIG(status)).name


print(json.dumps({name: probe(number, arguments) for name, number, arguments in json.loads(sys.argv[1])}))
