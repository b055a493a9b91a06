import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findMysqlProblem, findPsqlProblem, findSqliteProblem } from "./sql.ts";

const CLIENTS = { psql: findPsqlProblem, sqlite3: findSqliteProblem, mysql: findMysqlProblem };

const LOOKS = [
  "SELECT count(*) FROM users",
  "select 1;",
  "SELECT 1; SELECT 2",
  "SELECT * FROM t WHERE action = 'delete from x'",
  "SELECT * FROM t WHERE name LIKE '%it''s%' -- DROP TABLE t",
  'SELECT a, b AS "update" FROM t /* into */ ORDER BY a DESC LIMIT 10',
  "SELECT updated_at, inserted FROM t",
  "WITH x AS (SELECT 1 AS n) SELECT n FROM x",
  "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT sum(n) FROM t",
  "(SELECT 1) UNION (SELECT 2)",
  "SELECT status, count(*) FROM orders WHERE created > '2024-01-01' GROUP BY status HAVING count(*) > 5",
  "SELECT u.id, max(o.total) FROM users u LEFT JOIN orders o ON (o.uid = u.id) WHERE u.id IN (1, 2, 3) GROUP BY u.id",
  "SELECT row_number() OVER (PARTITION BY a ORDER BY b) FROM t",
  "SELECT CASE WHEN (a > 1) THEN 'x' ELSE 'y' END, coalesce(b, 0), CAST(c AS varchar(10)) FROM t",
  "SELECT EXISTS (SELECT 1 FROM t), substring(x FROM 1 FOR 3), extract(year FROM d), - 1 FROM t",
  "VALUES (1), (2)",
  "EXPLAIN SELECT * FROM t",
  "SELECT replace(a, 'x', 'y'), json_extract(b, '$.c') FROM t",
  "SELECT name FROM sqlite_master WHERE type = 'table'",
  "SELECT '\\n', 'a\\b'",
  "",
  " ; ",
];

const PSQL_LOOKS = [
  "\\dt",
  "\\d users",
  "\\d+ public.users",
  "\\dtS+",
  "\\l",
  "\\conninfo",
  "\\x on",
  "SHOW server_version",
  "TABLE users",
  "EXPLAIN (ANALYZE, BUFFERS) SELECT 1",
  "EXPLAIN ANALYZE VERBOSE SELECT 1",
  "SELECT data->>'a', data #>> '{a,b}', tags @> ARRAY['x'], arr[1] FROM t WHERE id = ANY(ARRAY[1, 2])",
  "SELECT now() - interval '1 day', pg_size_pretty(pg_total_relation_size('t'::regclass))",
  "SELECT date_trunc('day', created_at)::date FROM t",
  "SELECT pg_catalog.pg_get_viewdef('v')",
  "SELECT g FROM generate_series(1, 3) AS g(i)",
  "SELECT E'a\\tb'",
];
const SQLITE_LOOKS = [
  ".tables",
  ".schema users",
  ".headers on",
  ".mode box --wrap 60",
  '.separator "|"',
  ".indexes",
  "PRAGMA table_info(users)",
  "PRAGMA main.index_list('t')",
  "PRAGMA user_version",
  "PRAGMA journal_mode;",
  "EXPLAIN QUERY PLAN SELECT 1",
  "SELECT [a b], `c` FROM [my table]",
  "SELECT name FROM pragma_table_info('t')",
];
const MYSQL_LOOKS = [
  "SHOW TABLES",
  "SHOW CREATE TABLE t\\G",
  "SHOW VARIABLES LIKE 'max%'",
  "DESCRIBE users",
  "DESC `users`",
  "USE app; SELECT 1",
  "SELECT @@version",
  "EXPLAIN FORMAT=JSON SELECT 1",
  "SELECT * FROM t USE INDEX (i) WHERE MATCH (a) AGAINST ('x')",
  "select table_name from information_schema.tables",
];

const CHANGES = [
  "DROP TABLE users",
  "UPDATE users SET seen = true",
  "DELETE FROM t",
  "INSERT INTO t VALUES (1)",
  "TRUNCATE t",
  "CREATE TABLE t (a int)",
  "ALTER TABLE t ADD b int",
  "GRANT ALL ON t TO x",
  "SELECT 1; DROP TABLE t",
  "SELECT 1;\n-- x\nDELETE FROM t",
  "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
  "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x",
  "SELECT * INTO t2 FROM t",
  "SELECT * FROM t INTO OUTFILE '/tmp/x'",
  "SELECT * FROM t FOR UPDATE",
  "SELECT * FROM t FOR SHARE",
  "SELECT * FROM t LOCK IN SHARE MODE",
  "EXPLAIN ANALYZE DELETE FROM t",
  "EXPLAIN ANALYZE EXECUTE x",
  "EXPLAIN EXPLAIN SELECT 1",
  "EXPLAIN (ANALYZE) UPDATE t SET a = 1",
  "SET search_path = x",
  "COPY t TO '/tmp/x'",
  "COPY t FROM PROGRAM 'id'",
  "DO $$ BEGIN END $$",
  "CALL p()",
  "VACUUM",
  "ATTACH 'x.db' AS x",
  "LOAD DATA INFILE 'x' INTO TABLE t",
  "LOAD 'x.so'",
  "PREPARE x AS SELECT 1",
  "BEGIN; SELECT 1",
  "REPLACE INTO t VALUES (1)",
  "WITH x AS (SELECT 1) REPLACE INTO t SELECT 1",
  "SELECT NEXT VALUE FOR s",
  "system id",
  "source x.sql",
  "pager cat",
];
const CALLS = [
  "SELECT pg_read_file('/etc/passwd')",
  "SELECT pg_ls_dir('/')",
  "SELECT lo_import('/etc/passwd')",
  "SELECT * FROM dblink('host=x', 'DROP TABLE t')",
  "SELECT pg_terminate_backend(1)",
  "SELECT nextval('s')",
  "SELECT setval('s', 1)",
  "SELECT set_config('a', 'b', false)",
  "SELECT load_extension('x')",
  "SELECT readfile('/etc/passwd')",
  "SELECT writefile('x', 'y')",
  "SELECT load_file('/etc/passwd')",
  "SELECT query_to_xml('DELETE FROM t', true, true, '')",
  "SELECT my_function(1)",
  "SELECT \"lower\"('x')",
  "SELECT evil.lower('x')",
  "SELECT lower/**/('x'), pg_read_file /* */ ('x')",
  "SELECT a, t(1) AS b",
  "SELECT sleep(5)",
  "SELECT get_lock('x', 1)",
  "SELECT * FROM fsdir WHERE path = '/etc'",
  'SELECT * FROM "fsdir"',
  "SELECT * FROM pg_shadow",
  "SELECT * FROM mysql.user",
  "SELECT * FROM `mysql`.`user`",
];
const UNCLEAR = [
  "SELECT 'it\\'s'",
  "SELECT 'a\\\\'",
  "SELECT 'a",
  'SELECT "a',
  "SELECT '''",
  "SELECT 5--3",
  "SELECT 1 /*! INTO OUTFILE 'x' */",
  "SELECT 1 /*M! x */",
  "SELECT 1 /*+ SET_VAR(x=1) */",
  "SELECT 1 /* a /* b */ c */",
  "SELECT 1 /* a",
  "SELECT $$a$$",
  "SELECT $1",
  "SELECT a$b",
  "SELECT :x",
  "SELECT @a := 1",
  "SELECT 1 \\gexec",
  "SELECT 1 \\! id",
  "SELECT ARRAY['a]', \"b\"]",
  "SELECT {d '2020-01-01'}",
  "SELECT é",
  "SELECT 1abc",
  "1",
  "'a'",
];

describe("SQL", () => {
  for (const [client, find] of Object.entries(CLIENTS)) {
    it(`for ${client} that looks`, () => {
      for (const text of LOOKS) assert.equal(find(text), undefined, text);
    });
    it(`for ${client} that does more`, () => {
      for (const text of [...CHANGES, ...CALLS, ...UNCLEAR])
        assert.match(find(text) ?? "", new RegExp(`^Gives ${client} SQL that `), text);
    });
  }

  it("says what is wrong", () => {
    assert.equal(findPsqlProblem("DROP TABLE t"), "Gives psql SQL that may change data");
    assert.equal(findPsqlProblem("SELECT f(1)"), "Gives psql SQL that calls f, which isn't in the catalogue");
    assert.equal(findPsqlProblem("SELECT $1"), "Gives psql SQL that can't be read with certainty");
    assert.equal(findMysqlProblem("SELECT * FROM mysql.user"), "Gives mysql SQL that reads files or passwords");
    assert.equal(findSqliteProblem("PRAGMA user_version=5"), "Gives sqlite3 SQL that may change settings");
  });

  it("is read to its end however it repeats", () => {
    for (const piece of [
      "'",
      "''",
      "\\",
      "'\\",
      "/*",
      "/* ",
      "(",
      "EXPLAIN ",
      "a$",
      "1",
      "[",
      "-- ",
      "a(",
      ";",
      "`",
      '"\\',
    ])
      assert.notEqual(findMysqlProblem(`SELECT ${piece.repeat(60_000)}\n ; DROP '`), undefined, piece);
  });
});

describe("words for one client", () => {
  const rows = [
    { find: findPsqlProblem, looks: PSQL_LOOKS },
    { find: findSqliteProblem, looks: SQLITE_LOOKS },
    { find: findMysqlProblem, looks: MYSQL_LOOKS },
  ];
  it("that look", () => {
    for (const { find, looks } of rows) for (const text of looks) assert.equal(find(text), undefined, text);
  });

  it("that do more", () => {
    const psql = [
      "\\! id",
      "\\o x",
      "\\i x",
      "\\copy t to x",
      "\\w x",
      "\\e",
      "\\g x",
      "\\gexec",
      "\\lo_export 1 x",
      "\\dt `id`",
    ];
    for (const text of [...psql, "\\dt \\! id", "\\dt\n\\! id", "\\d :x", "\\set x y", "\\cd /", "SELECT `a`"])
      assert.notEqual(findPsqlProblem(text), undefined, text);
    const sqlite = [
      ".shell id",
      ".system id",
      ".output x",
      ".once x",
      ".read x",
      ".import a b",
      ".load x",
      ".open x",
      ".excel",
    ];
    const others = [
      ".backup x",
      ".save x",
      ".clone x",
      ".log x",
      ".trace x",
      ".sch",
      ".tables\n.shell id",
      ".schema `id`",
      "SELECT a # b",
    ];
    const pragmas = [
      "PRAGMA user_version=5",
      "PRAGMA user_version(5)",
      "PRAGMA journal_mode=WAL",
      "PRAGMA wal_checkpoint",
    ];
    for (const text of [
      ...sqlite,
      ...others,
      ...pragmas,
      "PRAGMA table_info(a) ; VACUUM",
      ".",
      ". shell id",
      " .shell id",
    ])
      assert.notEqual(findSqliteProblem(text), undefined, text);
    for (const text of [
      "SELECT 1 # x",
      "\\! id",
      "USE a b",
      "USE mysql",
      "SELECT '\\G",
      "PRAGMA user_version",
      "tee x",
    ])
      assert.notEqual(findMysqlProblem(text), undefined, text);
  });
});
