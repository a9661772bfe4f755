import { auditLogFormats, auditModes, type AuditLogFormat, type AuditMode } from '../../../security/index.js';
import type { Flag, FlagValues } from '../../flags/flag.js';
import { bool, count, decimal, duration, oneOf, positive, size, text } from '../../flags/kinds.js';
import { topic } from '../../flags/topic.js';

const byName = <Name extends string>(names: readonly Name[]): ReadonlyMap<string, Name> =>
  new Map(names.map((name) => [name, name]));

const mode = (fallback: AuditMode): Flag<AuditMode> =>
  oneOf(
    'MODE',
    byName(auditModes),
    fallback,
    fallback,
    'batch: events are buffered and written later; blocking: a request waits until its events are written; blocking-strict: a request whose first event cannot be written is also refused.',
  );
const bufferSize = (): Flag<number> =>
  positive(count('EVENTS', 10_000, 'Maximum number of buffered events; further ones are lost. Only in batch mode.'));
const maxBatch = (fallback: number): Flag<number> =>
  positive(count('EVENTS', fallback, 'Maximum number of events that are written at once. Only in batch mode.'));
const maxWait = (fallback: string): Flag<number> =>
  duration(fallback, 'Maximum time that an event waits for others. Only in batch mode.');
const throttled = (fallback: boolean): Flag<boolean> =>
  bool(fallback, 'Whether the rate of batches is limited. Only in batch mode.');
const qps = (): Flag<number> => positive(decimal('NUMBER', 10, 'Average number of batches per second.'));
const burst = (): Flag<number> =>
  positive(count('NUMBER', 15, 'Number of batches that may be written at once after a pause.'));
const truncated = (): Flag<boolean> =>
  bool(
    false,
    'Whether events that are too large lose the objects in them, and are lost if they are too large even then.',
  );
const truncatedBatch = (): Flag<number> =>
  positive(size('10Mi', 'Maximum size of the events that are written at once, with truncation.'));
const truncatedEvent = (): Flag<number> => positive(size('100Ki', 'Maximum size of an event, with truncation.'));

/** The audit flags of `serve`. */
export const auditFlags = {
  ...topic('Audit', {
    'audit-policy-file': text(
      'FILE',
      '',
      'Audit policy: which requests are recorded, and how much of them (docs/reference/audit.md). Reloaded when the file changes.',
    ),
    'audit-log-path': text('FILE', '', 'File to which audit events are written; - for standard output.'),
    'audit-log-format': oneOf<AuditLogFormat>(
      'FORMAT',
      byName(auditLogFormats),
      'json',
      'json',
      'Format of a line: json, or legacy for a text without objects.',
    ),
    'audit-log-maxage': count('DAYS', 0, 'Maximum age of old audit files, in days; 0 for no limit.'),
    'audit-log-maxbackup': count('NUMBER', 0, 'Maximum number of old audit files; 0 for no limit.'),
    'audit-log-maxsize': count(
      'MEGABYTES',
      100,
      'Size at which the audit file is renamed and a new one begins, in megabytes (2^20 bytes); 0 for 100.',
    ),
    'audit-log-compress': bool(false, 'Whether old audit files are compressed with gzip.'),
    'audit-log-mode': mode('blocking'),
    'audit-log-batch-buffer-size': bufferSize(),
    'audit-log-batch-max-size': maxBatch(1),
    'audit-log-batch-max-wait': maxWait('0s'),
    'audit-log-batch-throttle-enable': throttled(false),
    'audit-log-batch-throttle-qps': qps(),
    'audit-log-batch-throttle-burst': burst(),
    'audit-log-truncate-enabled': truncated(),
    'audit-log-truncate-max-batch-size': truncatedBatch(),
    'audit-log-truncate-max-event-size': truncatedEvent(),
  }),
  ...topic('Audit by webhook', {
    'audit-webhook-config-file': text('FILE', '', 'Kubeconfig of the webhook that gets audit events.'),
    'audit-webhook-initial-backoff': positive(
      duration('10s', 'Pause before the first retry of a failed call of the audit webhook.'),
    ),
    'audit-webhook-mode': mode('batch'),
    'audit-webhook-batch-buffer-size': bufferSize(),
    'audit-webhook-batch-max-size': maxBatch(400),
    'audit-webhook-batch-max-wait': maxWait('30s'),
    'audit-webhook-batch-throttle-enable': throttled(true),
    'audit-webhook-batch-throttle-qps': qps(),
    'audit-webhook-batch-throttle-burst': burst(),
    'audit-webhook-truncate-enabled': truncated(),
    'audit-webhook-truncate-max-batch-size': truncatedBatch(),
    'audit-webhook-truncate-max-event-size': truncatedEvent(),
  }),
};

/** Parsed values of the audit flags. */
export type AuditValues = FlagValues<typeof auditFlags>;
