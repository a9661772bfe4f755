import type { AuditOptions } from '../../apiserver/index.js';
import type { AuditDeliveryOptions, AuditLogOptions, AuditOutput, AuditWebhookOptions } from '../../security/index.js';
import { latin1, shareTurn } from '../../foundation/index.js';
import { auditFile } from '../../transport/node.js';
import { UsageError } from '../usage-error.js';
import { onFileChange } from './file-changes.js';
import { orUsageError, readFlagFile, readText } from './files.js';
import type { AuditValues } from './flags/audit-flags.js';
import { postOfKubeConfig, type ServiceContext } from './kubeconfig-service.js';

const DAY_MS = 86_400_000;
/** Bytes of a long line that are written to standard output in one piece. */
const PART_BYTES = 256 * 1024;
/** Value of `--audit-log-path` for standard output. */
const STANDARD_OUTPUT = '-';

/**
 * Returns the audit options that the flags set. As in Kubernetes, nothing is recorded without a policy file, or without
 * a log or webhook.
 *
 * @throws UsageError when a file cannot be read or opened, or flags contradict each other
 */
export async function auditOptions(values: AuditValues, context: ServiceContext): Promise<AuditOptions | undefined> {
  const path = values['audit-policy-file'];
  const hasBackend = values['audit-log-path'] !== '' || values['audit-webhook-config-file'] !== '';
  if (path === '' || !hasBackend) {
    if (hasBackend) context.logger.info('no audit policy file provided, no events will be recorded');
    if (path !== '') context.logger.info('no audit log or webhook provided, no events will be recorded');
    return undefined;
  }
  for (const stem of ['audit-log', 'audit-webhook'] as const) checkTruncation(values, stem);
  const text = await readFlagFile('audit-policy-file', path);
  const webhook = await webhookOf(values, context);
  return {
    policy: { text, read: () => readText(path), onChange: (changed) => onFileChange(path, changed) },
    webhook,
    // Last: the file is opened, and nothing after it may fail.
    log: await logOf(values, context),
  };
}

type Stem = 'audit-log' | 'audit-webhook';

function deliveryOf(values: AuditValues, stem: Stem): AuditDeliveryOptions {
  return {
    mode: values[`${stem}-mode`],
    batch: {
      bufferSize: values[`${stem}-batch-buffer-size`],
      maxSize: values[`${stem}-batch-max-size`],
      maxWait: values[`${stem}-batch-max-wait`],
      throttle: values[`${stem}-batch-throttle-enable`] && {
        qps: values[`${stem}-batch-throttle-qps`],
        burst: values[`${stem}-batch-throttle-burst`],
      },
    },
    truncate: values[`${stem}-truncate-enabled`] && {
      maxEventBytes: values[`${stem}-truncate-max-event-size`],
      maxBatchBytes: values[`${stem}-truncate-max-batch-size`],
    },
  };
}

function checkTruncation(values: AuditValues, stem: Stem): void {
  const event = values[`${stem}-truncate-max-event-size`];
  const batch = values[`${stem}-truncate-max-batch-size`];
  if (values[`${stem}-truncate-enabled`] && batch < event)
    throw new UsageError(
      `invalid audit truncate ${stem.slice('audit-'.length)} max event size (${event}), must be no greater than max batch size (${batch})`,
    );
}

async function logOf(values: AuditValues, context: ServiceContext): Promise<AuditLogOptions | undefined> {
  const path = values['audit-log-path'];
  if (path === '') return undefined;
  const output = await orUsageError('audit-log-path', () => outputOf(path, values, context));
  return { ...deliveryOf(values, 'audit-log'), output, format: values['audit-log-format'] };
}

function outputOf(path: string, values: AuditValues, { host, logger }: ServiceContext): AuditOutput {
  if (path === STANDARD_OUTPUT)
    return {
      write: (lines) => void host.stdout.write(lines),
      writeLong: async (line) => {
        for (let from = 0; from < line.length; from += PART_BYTES) {
          await shareTurn();
          host.stdout.write(latin1(line.subarray(from, from + PART_BYTES)));
        }
      },
    };
  const maxSizeMegabytes = values['audit-log-maxsize'];
  return auditFile({
    path,
    maxAge: values['audit-log-maxage'] * DAY_MS,
    maxBackups: values['audit-log-maxbackup'],
    maxSizeMegabytes: maxSizeMegabytes === 0 ? undefined : maxSizeMegabytes,
    compress: values['audit-log-compress'],
    clock: host.clock,
    logger,
  });
}

async function webhookOf(values: AuditValues, context: ServiceContext): Promise<AuditWebhookOptions | undefined> {
  const flag = 'audit-webhook-config-file';
  const path = values[flag];
  if (path === '') return undefined;
  return {
    ...deliveryOf(values, 'audit-webhook'),
    post: await orUsageError(flag, () => postOfKubeConfig(path, 'audit webhook', context)),
    initialBackoff: values['audit-webhook-initial-backoff'],
  };
}
