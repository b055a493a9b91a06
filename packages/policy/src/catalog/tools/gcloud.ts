import { GCLOUD_GROUPS } from "./cloud-groups.ts";
import type { Tool } from "./tool.ts";

/** Options of `list`, `describe` and `get-iam-policy`, as the tool's own list of commands has them, without those that name files. */
const READS =
  "--abandoned --all --all-memberships --api: --application: --artifact-url: --asset-types: --asset: --attachment-point: --attestor-project: --attestor: --backup-channel: " +
  "--backup-collection: --backup-plan: --backup-schedule: --backup-vault: --backup: --billing-account: --block-name: --brand: --bucket: --can-deploy-hugging-face-models " +
  "--cancelled --cluster: --code-repository-index: --collection-group: --compare-duration: --completed --config-name: --config: --connection: --content-type: " +
  "--created-before: --cross-site-network: --data-source: --data_taxonomy: --database-version: --database: --datascan: --dataset: --delivery-pipeline: --deployment: " +
  "--dest-group: --developer: --domain: --done --effective --end-time: --entitlement: --entry-group: --entry: --environment: --execution: --failed --field-mask: " +
  "--filter-account: --filter: --firewall-policy-region: --firewall-policy: --fleet-package: --folder: --full-resource-name --gateway-security-policy: --gateway: --gen2 " +
  "--generation: --global --global-firewall-policy --glossary: --group-email: --holder: --host: --hub: --iam-account: --include-proto-descriptors --include-tags " +
  "--index-endpoint: --index: --insight-type: --instance-config: --instance-location: --instance-partition: --instance-region: --instance: --instances: --job-id: " +
  "--job-names: --job: --key: --keyring: --kind: --lake: --less --level: --limit: --list-all-pipelines --list-model-garden-endpoints-only --location: --locations: " +
  "--managed-by: --map: --member-email: --membership: --memberships: --mesh: --metadata-filter: --model-filter: --model-server-version: --model-server: --model: --name: " +
  "--namespace: --nat: --network: --no-completed --no-started --oauth-client: --occurrence-filter: --ongoing --operation-filter: --order-by: --organization: --origin: " +
  "--package: --page-size: --page-token: --parent: --pending --policy: --pool: --preview-images --private-cloud: --private-connection: --product: --protocol: --provider: " +
  "--queue: --read-time: --recommender: --regexp: --region: --regions: --relationship-types: --release: --repository: --resize-request: --resource-bundle: --resource-name: " +
  "--resource-type: --response-policy: --response-view: --restore-channel: --restore-plan: --restore: --revision-id: --revision: --rollout: --router: --running " +
  "--scan-config: --scope: --security-policy: --server-filter: --service: --share-settings --show-all-metadata --show-build-details --show-cluster-status --show-deleted " +
  "--show-deployment --show-deprecated --show-edition --show-image-basis --show-linked-cluster-upgrade --show-occurrences --show-occurrences-from: " +
  "--show-package-vulnerability --show-provenance --show-sbom-references --show-sql-network-architecture --show-transactional-log-storage-state --show-unset --simple-list " +
  "--sink-filter: --skip-pipeline-lookup --snapshot-time: --soft-deleted --sort-by: --sort-order: --source-display-name: --source: --standard-images --start-time: --started " +
  "--state-filter: --state: --sub-block-name: --subscription: --succeeded --summarize --table: --tag: --task: --taxonomy: --tensorboard-experiment-id: --tensorboard-id: " +
  "--tensorboard-run-id: --type: --uri --v2 --verbose --view: --volume: --wasm-plugin: --workforce-pool: --workload-identity-pool: --workload: --zone: --zones: --enabled --available --long --names: --status: --created-after: --recursive --details --platform: --secret: --workflow: --image: --job-type: --after: --before:";

const ask = { operands: "text", service: true } as const;
const bare = { operands: "none", service: true } as const;

/** Groups that are also commands elsewhere, so that they may only stand first. */
const FIRST = ["alloydb", "compute", "deploy", "dns", "iam", "network-management", "pubsub", "run", "sql"];
const TRACKS = ["", "beta ", "alpha "];

/** Under every group that is only a group, and under those that may be one only in front. */
function everywhere(verb: string): string[] {
  const led = FIRST.flatMap((group) =>
    TRACKS.flatMap((track) => [`${track}${group} ** ${verb}`, `${track}${group} ${verb}`]),
  );
  return [`** ${verb}`, ...led];
}

export const GCLOUD_TOOLS: readonly Tool[] = [
  {
    names: ["gcloud"],
    // Not --flags-file, --access-token-file, --impersonate-service-account, --log-http.
    options:
      "-q -h --account: --billing-project: --configuration: --flatten: --format: --help --project: --quiet --user-output-enabled? --no-user-output-enabled --verbosity: --version",
    operands: "none",
    optionsAnywhere: true,
    groups: GCLOUD_GROUPS,
    uses: [
      {
        commands: [...everywhere("list"), ...everywhere("describe"), ...everywhere("get-iam-policy")],
        options: READS,
        ...ask,
      },
      { commands: ["auth list", "logging metrics list", "config configurations list"], options: READS, ...ask },
      {
        commands: [
          "config configurations describe",
          "logging metrics describe",
          "compute routes list",
          "compute routes describe",
          "artifacts docker images describe",
        ],
        options: READS,
        ...ask,
      },
      {
        commands: ["sql ssl client-certs list", "artifacts docker images list", "artifacts docker tags list"],
        options: READS,
        ...ask,
      },
      {
        commands: ["config get-value", "config get"],
        options: "",
        ...ask,
        operandForm: "^(?!.*(password|token|secret|credential|key))[\\w/-]+$",
      },
      { commands: ["version", "info"], options: "", ...bare },
      {
        commands: ["logging read", "logging logs list"],
        options: `${READS} --freshness: --order: --resource-names:`,
        ...ask,
      },
      {
        commands: [
          ...["app logs read", "functions logs read", "beta functions logs read"],
          ...["run services logs read", "run jobs logs read", "beta run services logs read", "beta run jobs logs read"],
          ...[
            "app logs tail",
            "beta run services logs tail",
            "alpha run services logs tail",
            "alpha logging tail",
            "logging tail",
          ],
        ],
        options: `${READS} --buffer-window: --execution-id: --freshness: --log-filter: --logs: --min-log-level: --order:`,
        ...ask,
      },
      { commands: ["builds log"], options: `${READS} --stream`, ...ask },
      {
        commands: ["compute instances get-serial-port-output", "compute instances get-guest-attributes"],
        options: `${READS} --port# --start# --query-path:`,
        ...ask,
      },
      {
        commands: [
          ...[
            "compute instance-groups managed list-instances",
            "compute instance-groups list-instances",
            "compute backend-services get-health",
          ],
          ...[
            "compute target-pools get-health",
            "compute routers get-status",
            "compute networks get-effective-firewalls",
          ],
          ...[
            "container get-server-config",
            "container images list-tags",
            "projects get-ancestors",
            "projects get-ancestors-iam-policy",
          ],
          ...[
            "iam list-grantable-roles",
            "iam list-testable-permissions",
            "asset search-all-resources",
            "asset search-all-iam-policies",
          ],
        ],
        options: `${READS} --query: --asset-types: --scope:`,
        ...ask,
      },
      {
        commands: ["storage ls", "storage du"],
        options:
          "-a -b -c -e -E -h -j -l -L -r -R -s -d -X: --all-versions --buckets --display-url --etag --exclude-name-pattern: --full --json --long --readable-sizes --recursive --range: " +
          "--summarize --total --zero-terminator -0",
        ...ask,
        operandForm: "^(gs|s3)://",
      },
      {
        commands: [
          "compute",
          "container",
          "run",
          "functions",
          "sql",
          "storage",
          "iam",
          "projects",
          "auth",
          "config",
          "logging",
          "builds",
          "services",
        ],
        options: "",
        ...bare,
        requires: ["--help", "-h"],
      },
    ],
    examples: {
      safe: [
        "gcloud projects list",
        "gcloud compute instances describe delete-me --zone z",
        "gcloud compute instances list --filter='status=RUNNING' --format='table(name,zone)'",
        "gcloud compute instances describe web-1 --zone us-central1-a",
        "gcloud compute firewall-rules list --project=my-proj",
        "gcloud --project my-proj container clusters list",
        "gcloud container clusters describe dev --region europe-west1",
        "gcloud run services list",
        "gcloud run services describe api --region us-east1 --format=json",
        "gcloud run revisions list --service api",
        "gcloud beta run services list",
        "gcloud sql instances list",
        "gcloud functions list",
        "gcloud iam service-accounts list",
        "gcloud projects get-iam-policy my-proj",
        "gcloud services list --enabled --limit=10",
        "gcloud secrets list",
        "gcloud pubsub topics list",
        "gcloud dns record-sets list --zone=z",
        "gcloud logging read 'severity>=ERROR' --limit=20 --freshness=1d",
        "gcloud auth list",
        "gcloud config list",
        "gcloud config get-value project",
        "gcloud config configurations list",
        "gcloud builds list --limit 5",
        "gcloud builds log abc",
        "gcloud app logs read",
        "gcloud storage ls gs://my-bucket/logs/",
        "gcloud info",
        "gcloud version",
        "gcloud artifacts repositories list --location=eu",
      ],
      notSafe: [
        "gcloud projects delete my-proj",
        "gcloud projects create list",
        "gcloud compute instances delete list",
        "gcloud compute instances create describe",
        "gcloud compute ssh web-1",
        "gcloud compute instances stop web-1",
        "gcloud auth print-access-token",
        "gcloud auth describe me@x.io",
        "gcloud auth application-default print-access-token",
        "gcloud auth login",
        "gcloud config set project x",
        "gcloud config get-value proxy/password",
        "gcloud config config-helper",
        "gcloud config configurations activate list",
        "gcloud secrets versions access latest --secret=db",
        "gcloud redis instances get-auth-string x",
        "gcloud services api-keys get-key-string x",
        "gcloud iam service-accounts keys create k.json",
        "gcloud container clusters get-credentials dev",
        "gcloud iap oauth-clients list b",
        "gcloud compute instances list --flags-file=x",
        "gcloud compute instances list --impersonate-service-account=x",
        "gcloud compute instances list --log-http",
        "gcloud compute instances list --project=$x",
        "gcloud storage cp gs://b/x .",
        "gcloud storage cat /etc/passwd",
        "gcloud storage cat gs://a/b",
        "gcloud builds submit",
        "gcloud scheduler jobs run list",
        "gcloud run deploy list",
        "gcloud app deploy",
        "gcloud foo",
      ],
    },
  },
];
