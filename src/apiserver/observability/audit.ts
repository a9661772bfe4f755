/**
 * The audit log of a server: its policy, which may be a file that is reloaded, and its backends.
 *
 * @module
 */
import {
  definedOnly,
  jsonText,
  loading,
  messageOf,
  parsedJson,
  watchReloadedFile,
  type Dialect,
  type JsonValue,
  type ReloadedFile,
  type ReloadMetrics,
} from '../../foundation/index.js';
import type {
  AuditBackend,
  AuditDelivery,
  AuditLogOptions,
  AuditMetrics,
  Auditor,
  AuditPolicy,
  AuditPolicyEvaluator,
  AuditSink,
  AuditSinkOptions,
  AuditWebhookOptions,
  DeliverEvents,
} from '../../security/index.js';
import { importAudit, type ImportOfAudit } from '../../security/late.js';
import {
  auditMetrics,
  countingCertificateFaults,
  parseConfigurationText,
  type NumberSeries,
} from '../../server/index.js';
import type { ServerParts } from '../instance/server-parts.js';
import { isConfigurationFile, type ConfigurationSource } from '../options/configuration-source.js';

/** The audit log of a server. Without it, nothing is recorded, and requests cost nothing more. */
export interface AuditOptions {
  /**
   * Which requests are recorded, and how much of them: an object, or a file in YAML or JSON that is reloaded when it
   * changes.
   */
  readonly policy: ConfigurationSource<AuditPolicy>;
  /** A function that gets the events, or one with its delivery: by default in batches, which no request waits for. */
  readonly sink?: AuditSink | AuditSinkOptions | undefined;
  /** A log with one line for each event. By default a request waits until its line is written. */
  readonly log?: AuditLogOptions | undefined;
  /** A webhook. By default it gets batches, which no request waits for. */
  readonly webhook?: AuditWebhookOptions | undefined;
  /** Annotations of all events, such as the name of the server. Default none. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** The parts of a server that the audit log needs. */
export interface AuditParts extends Pick<ServerParts, 'dialect' | 'clock' | 'entropy' | 'logger' | 'metrics'> {
  readonly reloadMetrics: ReloadMetrics;
}

/** The audit code, which is loaded when a server with an audit log starts. */
type AuditCode = ImportOfAudit;

/** Minimum time between two messages about lost events of a backend, in milliseconds. */
const LOST_MESSAGE_MS = 10_000;

/** The audit log. */
export class Audit {
  readonly #options: AuditOptions;
  readonly #parts: AuditParts;
  #auditor: Auditor | undefined;
  #file: ReloadedFile | undefined;

  constructor(options: AuditOptions, parts: AuditParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** Returns what records requests; undefined before the start. */
  readonly auditor = (): Auditor | undefined => this.#auditor;

  /**
   * Reads the policy and opens the backends.
   *
   * @throws Error with all errors of the policy, in the words of Kubernetes
   */
  async start(): Promise<void> {
    if (this.#auditor !== undefined) return;
    const code = await loading(importAudit());
    const { policy: source } = this.#options;
    const { dialect, clock, logger, metrics } = this.#parts;
    const load = async (text: string): Promise<AuditPolicyEvaluator> =>
      this.#policyOfFile(code, await parseConfigurationText(text));
    const isFile = isConfigurationFile(source);
    const policy = isFile
      ? await named('loading audit policy file', () => load(source.text))
      : await named('audit.policy', () => policyOfObject(code, source, dialect));
    const auditor = new code.Auditor({
      ...{ dialect, clock, policy, annotations: this.#options.annotations },
      backends: this.#backends(code),
      metrics: auditMeter(metrics),
    });
    if (isFile)
      this.#file = watchReloadedFile({
        name: 'audit policy',
        text: source.text,
        read: () => source.read(),
        load,
        apply: (changed: AuditPolicyEvaluator) => auditor.usePolicy(changed),
        onChange: source.onChange?.bind(source),
        clock,
        log: logger,
        metrics: this.#parts.reloadMetrics,
      });
    this.#auditor = auditor;
  }

  /** Writes the buffered events, and closes the backends. */
  async close(): Promise<void> {
    this.#file?.close();
    await this.#auditor?.close();
    await this.#options.log?.output.close?.();
  }

  /** As in Kubernetes, unknown fields of a file are logged and ignored. */
  #policyOfFile(code: AuditCode, value: JsonValue): AuditPolicyEvaluator {
    const { policy, unknownFields } = code.parseAuditPolicy(value, this.#parts.dialect);
    if (unknownFields.length > 0)
      this.#parts.logger.error('the audit policy contains unknown fields, which are ignored', { unknownFields });
    return code.compileAuditPolicy(code.checkAuditPolicy(policy));
  }

  #backends(code: AuditCode): AuditBackend[] {
    const { sink, log, webhook } = this.#options;
    const { clock, dialect, entropy, metrics } = this.#parts;
    const backends: AuditBackend[] = [];
    const add = (name: string, deliver: DeliverEvents, delivery: AuditDelivery): void =>
      void backends.push(code.makeBackend(deliver, delivery, { name, clock, dialect, lost: this.#lost(name) }));
    if (sink !== undefined) {
      const options = typeof sink === 'function' ? { write: sink } : sink;
      add('sink', code.sinkDelivery(options, clock), code.deliveryOf(options, code.sinkDefaults));
    }
    if (log !== undefined) add('log', code.logDelivery(log), code.deliveryOf(log, code.logDefaults));
    if (webhook !== undefined) {
      const sender = { clock, entropy, apiVersion: code.auditApiVersion(dialect) };
      const counted = { ...webhook, post: countingCertificateFaults(webhook.post, metrics) };
      add('webhook', code.webhookDelivery(counted, sender), code.deliveryOf(webhook, code.webhookDefaults));
    }
    return backends;
  }

  /** Returns the function that counts and logs lost events. A message covers all that are lost until the next one. */
  #lost(backend: string): (events: number, reason: string) => void {
    const { clock, logger, metrics } = this.#parts;
    const errors = metrics.counter(auditMetrics.apiserver_audit_error_total);
    let unreported = 0;
    let reportedMs = -Infinity;
    return (events, reason) => {
      errors.add(events, { plugin: backend });
      unreported += events;
      if (clock.now() - reportedMs < LOST_MESSAGE_MS) return;
      logger.error('audit events were lost', { backend, events: unreported, reason });
      unreported = 0;
      reportedMs = clock.now();
    };
  }
}

/** Runs the reading of a policy. @throws Error whose message begins with its name */
async function named<Result>(name: string, read: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    throw new Error(`${name}: ${messageOf(error)}`, { cause: error });
  }
}

/** A policy in the code of a program must not have unknown fields. @throws Error that names them */
function policyOfObject(code: AuditCode, policy: AuditPolicy, dialect: Dialect): AuditPolicyEvaluator {
  const value = { kind: 'Policy', apiVersion: code.auditApiVersion(dialect), ...definedOnly(policy) };
  const read = code.parseAuditPolicy(parsedJson(jsonText(value)) ?? null, dialect);
  if (read.unknownFields.length > 0) throw new Error(read.unknownFields.join(', '));
  return code.compileAuditPolicy(code.checkAuditPolicy(read.policy));
}

/** Counts with the metric names of Kubernetes. */
function auditMeter(metrics: ServerParts['metrics']): AuditMetrics {
  const events = metrics.counter(auditMetrics.apiserver_audit_event_total);
  const levels = metrics.counter(auditMetrics.apiserver_audit_level_total);
  const rejected = metrics.counter(auditMetrics.apiserver_audit_requests_rejected_total);
  const byLevel = new Map<string, NumberSeries>();
  return {
    event: () => events.add(),
    level(level) {
      let series = byLevel.get(level);
      if (series === undefined) byLevel.set(level, (series = levels.series({ level })));
      series.add();
    },
    rejected: () => rejected.add(),
  };
}
