/**
 * Words that only lead to subcommands, from the tools' own lists of commands. Excludes words that are a command
 * elsewhere, because an operand may follow them there, and groups whose commands show secrets.
 */
export const GCLOUD_GROUPS = `
  accelerator-types access-approval access-context-manager accounts acls actions active-directories active-directory address-groups addresses adjuster
  admin-clusters advertised-routes agent-pools ai ai-platform alpha android anthos anywhere-caches api-configs api-gateway api-keys apis app
  app-profiles apphub applications archives artifacts aspect-types asset assets associated-projects associations assured attached attachments
  attestations attestors audit-logs-provider audit-manager authorization-policies authorized-orgs authorized-views authz-extensions authz-policies
  autokey-config automation-runs automations autonomous-database-backups autonomous-database-character-sets autonomous-databases autonomous-db-versions
  autoscaling-policies aws azure backend-authentication-configs backend-buckets backend-services backup-channels backup-collections backup-dr
  backup-plan-associations backup-plan-bindings backup-plans backup-policies backup-restore backup-schedules backup-vaults backups bare-metal batch
  batch-operations batches beta beyondcorp bigtable billing binauthz bindings blocks bms bqexports buckets budgets builds categories certificate-manager
  certificates changes channel-connections channel-descriptors channels client-certs client-connector client-tls-policies clients cloud-bindings
  cloud-exadata-infrastructures cloud-vm-clusters cloudrun clusters clusterupgrade cmek-config code-repository-indexes code-tools-settings colab
  commitments components composer composite conditions config configs connection-profiles connections connectivity-tests connectors consent-stores
  consumer-groups container content contents controller conversion-workspaces cross-site-networks custom-intercept custom-jobs custom-mirroring
  custom-modules custom-target-types dags dashboards data-catalog data-fusion data-sharing-with-google-settings data-sources database-migration
  databases dataflow datapipelines dataplane-v2-encryption dataplex dataproc datascans datasets datastore datastream db-nodes db-servers
  db-system-shapes ddl delivery-pipelines deploy-policies deployment-manager deployments dest-groups details developers dicom-stores discovered-services
  discovered-workloads disk-settings disk-types disks dns-authorizations dns-bind-permission dns-forwarding dns-keys domain-mappings domains dry-run
  edge-cache edge-cloud ekm-config ekm-connections encryption-config endpoint-policies endpoints enrollments entitlements entries entry-groups
  entry-types environments essential-contacts etd event-types eventarc execution-groups executions external-access-rules external-addresses
  external-vpn-gateways features federations feeds fhir-stores fields files filestore findings firebase firestore firewall-endpoint-associations
  firewall-endpoints firewall-policies firewall-rules flags fleet fleetobservability floorsettings folders forwarding-rules functions
  future-reservations gateway-security-policies gateways gemini gemini-gcp-enablement-settings gi-versions git-repository-links glossaries
  google-api-sources google-channels grants groups grpc-routes guest-policies hcx health-checks healthcare hl7v2-stores hmac holds hot-tablets
  hp-tuning-jobs http-health-checks http-routes https-health-checks hub hubs iac-validation-reports iap identity identity-service ids image-imports
  images immersive-stream import-jobs imports index-endpoints indexes infra-manager ingress insight-type-config insights insights-configs
  instance-configs instance-groups instance-partitions instance-templates instances instant-snapshots intercept-deployment-groups intercept-deployments
  intercept-endpoint-group-associations intercept-endpoint-groups interconnects internal-ranges inventories inventory-reports ios ip-blocks
  issuance-configs job job-runs jobs key-handles keyrings keys keysets kms kms-configs lakes lb-edge-extensions lb-route-extensions
  lb-traffic-extensions levels lifesciences links lite-operations lite-reservations lite-subscriptions lite-topics locales locations logging
  logging-servers logging-settings logical-views logs looker luns lustre machine-image-imports machine-images machine-types machines manage managed
  managed-folders managed-identities managed-kafka managed-zones management-dns-zone-bindings management-servers manifests maps materialized-views
  memberships memcache memorystore mesh meshes message-buses metadata-jobs metastore method-names metrics-scopes migration migration-jobs
  migration-workflows migrations mirroring-deployment-groups mirroring-deployments mirroring-endpoint-group-associations mirroring-endpoint-groups
  mirroring-rules ml ml-engine model-armor model-garden model-monitoring-jobs models monitoring multi-cluster-services multi-region-services
  multicast-consumer-associations multicast-domain-activations multicast-domain-groups multicast-domains multicast-group-consumer-activations
  multicast-group-producer-activations multicast-group-range-activations multicast-group-ranges multicast-producer-associations muteconfigs namespaces
  nats netapp network-attachments network-connectivity network-edge-security-services network-endpoint-groups network-firewall-policies network-peerings
  network-policies network-profiles network-security network-services networking networks nfs-shares node-groups node-pools node-templates node-types
  nodes notebooks notifications nsx oauth-brands objects observability operations ops-agents oracle-database orchestration-cluster org-address-groups
  org-policies org-security-policies organizations origins os-config os-images os-inventory os-login os-policy-assignment-reports os-policy-assignments
  packages packet-mirrorings pam parameters patch-deployments patch-jobs peered-dns-domains peerings perimeters persistent-resources pipeline pipelines
  plugins policies policy policy-based-routes policy-bindings policy-orchestrators policy-tags policycontroller pools posture-deployments
  posture-operations posture-templates postures preferences preview-features previews principal-access-boundary-policies private-clouds
  private-connections privateca product-search product-sets products project-configs project-feature-settings project-info project-zonal-metadata
  projects providers public-advertised-prefixes public-delegated-prefixes queued-resources queues quota-rules quotas rbacrolebindingactuation
  rbacrolebindings realms recaptcha recommendations recommender recommender-config record-sets redis regional-endpoints regions registrations
  release-channel-settings releases remote-locations replications repos repositories repository-groups requests reservations resize-requests
  resource-bundles resource-descriptors resource-manager resource-policies resources response-policies restore-channels restore-plan-bindings
  restore-plans restores revisions roles rollout-kinds rollouts roots route-tables route-views routers rules runtime-templates runtimes saas
  saas-runtime samples saved-queries sbom scc scheduler schedules schema-registries schemas scopes secrets secure-access-connect security-policies
  security-profile-groups security-profiles server-ca-certs server-certs server-tls-policies service-accounts service-attachments service-bindings
  service-connection-policies service-directory service-extensions service-lb-policies service-names service-projects services session-templates
  sessions setting-bindings settings sha shared-vpc sinks snapshot-settings snapshots snoozes sole-tenancy source source-manager sources spanner speech
  splits spokes sql-integrations ssh-keys ssl-certificates ssl-certs ssl-policies storage storage-pool-types storage-pools streams sub-blocks subjects
  subnets subordinates subscriptions support-access supported-services tables tag-templates tags target-grpc-proxies target-http-proxies
  target-https-proxies target-instances target-pools target-projects target-ssl-proxies target-tcp-proxies target-vpn-gateways targets tasks taxonomies
  tcp-routes telco-automation templates tenants tensorboard-experiments tensorboard-runs tensorboard-time-series tensorboards terms terraform-versions
  threat-prevention tiers tls-inspection-policies tls-routes topics topologies tpu-vm tpus transcoder transfer triggers trust-configs ttls
  type-providers types unit-kinds unit-operations units unmanaged uptime url-lists url-maps user-workloads-config-maps users values variables vcenter
  versions video views violations vision vms vmware volume-backups volume-restores volumes vpc-access vpc-flow-logs-configs vpc-peerings vpcsc-config
  vpn-connections vpn-gateways vpn-tunnels vulnerabilities vulnerability-reports waiters wasm-plugin-versions wasm-plugins wire-groups workbench
  worker-pools workflow-templates workflows workforce-pools workload-identity-pools workloads workspace-add-ons workstations xr zones
`.trim();

export const AZ_GROUPS = `
  a aaaa aad access access-restriction account account-filter acr action action-group activity-log ad ad-admin adaptive-application-controls address
  address-pool advanced-threat-protection-setting advisor afd ag-listener agentpool agreement aks alert alerts-suppression-rule all-statistics ams api
  apim app appconfig application application-gateway application-group application-type appservice arm-template aro artifact artifact-source ase asg
  assembly assessment assessment-metadata asset asset-filter asset-track assignment association atp attached-database-configuration attestation
  audit-policy auth-cert authentication-as-arm authorization-rule auto-provisioning-setting automation autoscale availability-set backends backup-policy
  backup-properties balance bandwidth-schedule baseline batch batchai billing blob blob-inventory-policy blob-service-properties blob-storage boards
  budget builder caa cache capacity cassandra catalog categories cdn central certificate channel classification client-cert cloud cluster cname
  cognitiveservices collection commitment-plan commitment-tier compute-policy condition configuration conn-policy connection-monitor consumer-group
  consumption contact container container-rm containerapp content-trust continuous cors cosmosdb cross-region-lb custom-certificate custom-domain
  custom-image custom-ip custom-rule customer data-connection data-export data-flow data-lake-store database database-principal-assignment databoxedge
  datacenter dataset db ddos-protection definition deleted deletedservice deployment deploymentmanager destination detail device devicestream devops
  diagnostic-settings directory discovered-security-solution disk disk-access disk-encryption-set dla dls dms dns dns-zone-group domain dps dtc dw
  edge-node elastic-pool encryption encryption-scope endpoint endpoint-cert enrollment-account enterprise-edge entities env environment event
  event-channel event-subscription eventgrid eventhub eventhubs exclusion exemption experiment export-policy express-route extension extension-topic
  external-data-source external-security-solution failover-group feature file file-server file-service-properties filter firewall firewall-rule
  firewall-rules flexible-server flow-log formula frontend-ip frontend-port fs function functionapp gallery-application gallery-image gateway geo-backup
  georecovery-alias graph gremlin group hdinsight helm hierarchy-settings host hostname http-listener http-settings hub hybrid-connection hyco identity
  image image-definition image-version immutability-policy inbound-nat-pool inbound-nat-rule instance-failover-group instance-pool instruction
  integration-runtime integration-runtime-node invoice iot iot-alerts iot-analytics iot-recommendations iot-solution ip-config ipsec-policy
  ipv6-firewall-rule item jit-policy job keyspace keyvault kql-script kusto kusto-operation lab lb ledger-digest-uploads legal-hold link-connection
  linked-hub linked-storage listener live-event live-output local-gateway location locations log-analytic log-analytics log-profiles log-replay logging
  logicapp ltr-backup ltr-policy managed-application managed-application-type managed-cassandra managed-cluster managed-node-type
  managed-private-endpoints managed-rule managed-rule-set managed-service managedapp managedservices management-group management-policy manifest maps
  mariadb marketplace match-condition member message-enrichment metadata metric metrics mg mi midb migration mongodb monitor mru ms-support mx mysql
  namespace nat nat-rule netappfiles network network-profile network-rule nic node nodepool non-compliance-message notebook ns nsg op operation
  or-policy order origin origin-group outbound-firewall-rule outbound-rule output owner pack package packet-capture parameter partner partner-cert
  patch-schedule peer-connection peering period permission permissions pipeline pipeline-run pipelines plan policy policy-definition policy-setting pool
  pool-principal-assignment port postgres ppg pr predefined prefix pricesheet pricing private-dns private-endpoint private-endpoint-connection
  private-link private-link-resource private-link-scope private-link-service probe procedure product profile project property protectable-item provider
  ptr public-ip query-pack queue quota-rule quotas ranking rate-limit-rule recommendation record-set recoverable-midb recoveryconfig recoverypoint
  recurrence redirect-config redis registration regulatory-compliance-assessments regulatory-compliance-controls regulatory-compliance-standards relay
  remediation replica replication repos repository reservation resource resource-guard-mapping resourcemanagement restorable-collection
  restorable-container restorable-database restorable-database-account restorable-resource restore-point results retention revision rewrite-rule role
  role-assignment role-definition rollout root-cert rotation-policy route route-filter route-table routeserver routing-endpoint routing-rule rule
  rule-group-override rule-set runs saved-search scans schema schema-registry scope scope-map scoped-resource script-action section
  secure-score-control-definitions secure-score-controls secure-scores security security-partner-provider security-policy security-solutions
  security-solutions-reference-data server server-link server-logs service service-endpoint service-properties service-topology service-unit servicebus
  session set-definition setting settings sf share share-rm shared-private-link-resource short-term-retention-policy sig signalr signed-in-user site sku
  slot soa soft-delete source sp spark spark-job-definition sql sql-script srv sshkey ssl ssl-cert ssl-policy ssl-profile state statement staticwebapp
  step stg storage storage-account stored-procedure str-policy streaming-endpoint streaming-locator streaming-policy sub sub-assessment subnet
  subscription subvolume summary supported-images synapse system-topic table table-partition table-stats table-type task taskrun tde tde-key tenant term
  terms test-configuration test-group threat-policy throughput timer topic topic-type topology traffic-manager traffic-routing transaction transform
  trigger triggered troubleshooting trusted-provider ts tunnel-interface tvf txt unmanaged-disk upstream url-path-map user users va validator vault
  verified-partner versionset view virtual-appliance virtual-cluster vm vmss vnet vnet-gateway vnet-integration vnet-rule volume volume-group vpn-client
  vrouter waf waf-config waf-log-analytic waf-policy watcher wcfrelay webapp webhook webjob work-item workspace workspace-package workspace-setting zone
`.trim();
