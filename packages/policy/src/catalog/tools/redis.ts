import type { Tool } from "./tool.ts";

/** Words are the command's own, also those with a dash (`ZRANGE k 0 -1`). */
const read = { options: "", operands: "text", noOptions: true, service: true } as const;

/** Commands are the same in either case. */
function cases(commands: string): string[] {
  return commands
    .trim()
    .split(/\s*,\s*/)
    .flatMap((command) => [command, command.toUpperCase()]);
}

export const REDIS_TOOLS: readonly Tool[] = [
  {
    names: ["redis-cli", "valkey-cli"],
    // Not -u, -s, -x, --pipe, --rdb, --eval, --tls's files, nor another machine.
    options:
      "-h=localhost|127.0.0.1|::1|redis|valkey|0.0.0.0 -p# -n# -a: -c -2 -3 -e -r# -i# -d: --user: --pass: --raw --no-raw --csv --json --quoted-json --no-auth-warning --show-pushes: --scan --pattern: --quoted-pattern: --count# " +
      "--bigkeys --memkeys --hotkeys --stat --latency --latency-history -v --version --help",
    operands: "none",
    // Alone it reads commands from its input.
    requires: [
      "--scan",
      "--bigkeys",
      "--memkeys",
      "--hotkeys",
      "--stat",
      "--latency",
      "--latency-history",
      "-v",
      "--version",
      "--help",
    ],
    service: true,
    optionsFirst: true,
    uses: [
      {
        commands: cases(
          `ping, echo, get, mget, getrange, substr, strlen, keys, scan, type, ttl, pttl, expiretime, exists, randomkey, dbsize, info, time, lastsave, role, bitcount, bitpos, getbit, dump, hget,
          hmget, hgetall, hkeys, hvals, hlen, hexists, hstrlen, hscan, hrandfield, llen, lrange, lindex, lpos, smembers, scard, sismember, smismember, srandmember, sscan, sinter, sunion, sdiff,
          sintercard, zcard, zcount, zrange, zrevrange, zrangebyscore, zrevrangebyscore, zrangebylex, zscore, zmscore, zrank, zrevrank, zscan, zlexcount, zinter, zunion, zdiff, xlen, xrange,
          xrevrange, xpending, geopos, geodist, geohash, geosearch, sort_ro, lolwut`,
        ),
        ...read,
      },
      {
        commands: cases(
          `client list, client info, client id, client getname, memory usage, memory stats, memory doctor, object encoding, object freq, object idletime, object refcount, slowlog get, slowlog len,
          latency latest, latency doctor, latency history, cluster info, cluster nodes, cluster slots, cluster shards, cluster keyslot, command count, command info, command docs, command list,
          acl whoami, acl cat, pubsub channels, pubsub numsub, pubsub numpat, xinfo stream, xinfo groups, xinfo consumers, module list, function list`,
        ),
        ...read,
      },
      {
        // Not the passwords among the settings, nor a pattern that fits them.
        commands: cases("config get"),
        ...read,
        operandForm:
          "^(maxmemory|maxmemory-policy|maxclients|appendonly|appendfsync|save|databases|timeout|port|bind|dir|dbfilename|loglevel|slowlog-log-slower-than|slowlog-max-len|notify-keyspace-events|protected-mode|tcp-keepalive|hz|io-threads)$",
        minOperands: 1,
      },
    ],
    examples: {
      safe: [
        "redis-cli ping",
        "redis-cli GET user:1",
        "redis-cli -h localhost -p 6379 INFO memory",
        "redis-cli -n 2 keys 'session:*'",
        "redis-cli --scan --pattern 'user:*'",
        "redis-cli hgetall user:1",
        "redis-cli ZRANGE board 0 -1 WITHSCORES",
        "redis-cli LLEN queue",
        "redis-cli ttl k",
        "redis-cli config get maxmemory",
        "redis-cli client list",
        "redis-cli slowlog get 10",
        "redis-cli --bigkeys",
        "redis-cli dbsize",
      ],
      notSafe: [
        "redis-cli",
        "redis-cli -p 6379",
        "redis-cli FLUSHALL",
        "redis-cli flushdb",
        "redis-cli set k v",
        "redis-cli DEL k",
        "redis-cli -h evil.example GET k",
        "redis-cli -u redis://evil.example GET k",
        "redis-cli --eval x.lua",
        "redis-cli EVAL 'return 1' 0",
        "redis-cli --rdb x",
        "redis-cli --pipe",
        "redis-cli config set dir /tmp",
        "redis-cli config get requirepass",
        "redis-cli config get '*'",
        "redis-cli SORT k STORE x",
        "redis-cli debug sleep 1",
        "redis-cli shutdown",
        "redis-cli get $k",
        "redis-cli acl list",
        "redis-cli getdel k",
        "redis-cli getex k",
        "redis-cli xinfo",
      ],
    },
  },
];
