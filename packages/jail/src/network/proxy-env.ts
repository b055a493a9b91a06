/** Where every network's proxy listens. Each has a loopback of its own, so that they don't meet. */
export const PROXY_PORT = 3128;

const PROXY = `http://127.0.0.1:${PROXY_PORT}`;
/** A run's own servers. On this loopback there's nothing else, and the proxy wouldn't reach them. */
const OWN = "localhost,127.0.0.1,::1";

/** A program for ssh's ProxyCommand, with nothing but bash and cat: connects to $1:$2 and passes bytes on. */
const CONNECT = `
exec 3<>/dev/tcp/127.0.0.1/${PROXY_PORT} || exit
printf 'CONNECT %s:%s HTTP/1.1\\r\\n\\r\\n' "$1" "$2" >&3
read -r -u 3 _ status phrase
[ "$status" = 200 ] || { echo "$1:$2: $status $phrase" >&2; exit 1; }
while read -r -u 3 line && [ \${#line} -gt 1 ]; do :; done
cat <&3 & exec cat >&3
`;
const SSH = `ssh -o 'ProxyCommand=bash -c "$JAIL_CONNECT" - %h %p'`;

/**
 * How programs find the proxy. curl, git, npm, pip, cargo, go, wget, gem and apt know the usual names; some only one
 * spelling. HTTP for all: several programs stop at a socks5 address when a library for it is missing.
 */
export const PROXY_ENV: Readonly<Record<string, string>> = {
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  ALL_PROXY: PROXY,
  NO_PROXY: OWN,
  http_proxy: PROXY,
  https_proxy: PROXY,
  all_proxy: PROXY,
  no_proxy: OWN,
  // Node's own fetch and https look at the names above only when told to.
  NODE_USE_ENV_PROXY: "1",
  // Yarn 2 and later reads these alone, and stops at a YARN_NO_PROXY.
  YARN_HTTP_PROXY: PROXY,
  YARN_HTTPS_PROXY: PROXY,
  // ssh has no variable of its own.
  JAIL_CONNECT: CONNECT,
  GIT_SSH_COMMAND: SSH,
  RSYNC_RSH: SSH,
  RSYNC_PROXY: `127.0.0.1:${PROXY_PORT}`,
};
