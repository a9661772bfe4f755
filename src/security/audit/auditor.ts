import { greatest, type Clock, type Dialect } from '../../foundation/index.js';
import type { AuditRecord } from './audit-record.js';
import type { AuditBackend } from './backends/backend.js';
import type { AuditLevel } from './event.js';
import type { AuditDecision, AuditPolicyEvaluator } from './policy/evaluate.js';
import { auditApiVersion } from './policy/parse.js';
import { secretKinds, type SecretKinds } from './policy/secret-kinds.js';
import { RequestAudit, type AuditedRequest } from './request-audit.js';

/** Counts what the audit log does. */
export interface AuditMetrics {
  /** An event was written. */
  event(): void;
  /** The policy has set the level of a request. */
  level(level: AuditLevel): void;
  /** A request was refused because its event could not be stored. */
  rejected(): void;
}

/** The parts of an {@link Auditor}. */
export interface AuditorParts {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly policy: AuditPolicyEvaluator;
  readonly backends: readonly AuditBackend[];
  readonly metrics: AuditMetrics;
  /** Annotations of the events of all requests. Default none. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** Decides which requests are recorded, and hands their events to the backends. */
export class Auditor {
  readonly #parts: AuditorParts;
  readonly #apiVersion: string;
  readonly #secrets: SecretKinds;
  readonly #maxEventBytes: number;
  #policy: AuditPolicyEvaluator;

  constructor(parts: AuditorParts) {
    this.#parts = parts;
    this.#policy = parts.policy;
    this.#apiVersion = auditApiVersion(parts.dialect);
    this.#secrets = secretKinds(parts.dialect);
    this.#maxEventBytes = greatest(
      parts.backends.map(({ maxEventBytes = Infinity }) => maxEventBytes),
      0,
    );
  }

  /** Replaces the policy. Requests in flight keep the level that they began with. */
  usePolicy(policy: AuditPolicyEvaluator): void {
    this.#policy = policy;
  }

  /**
   * Begins to record a request.
   *
   * @param describe describes the request; called only when the policy wants its events
   * @returns undefined when the policy wants none
   */
  begin(
    attributes: AuditedRequest['attributes'],
    describe: () => Omit<AuditedRequest, 'attributes'>,
  ): RequestAudit | undefined {
    const { metrics, clock } = this.#parts;
    const wanted = this.#policy(attributes);
    metrics.level(wanted.level);
    if (wanted.level === 'None') return undefined;
    const isSecret = this.#secrets.contains(attributes);
    const audit = new RequestAudit(
      { attributes, ...describe() },
      {
        apiVersion: this.#apiVersion,
        domain: this.#parts.dialect.groupSuffix,
        decision: isSecret ? withoutBodies(wanted) : wanted,
        isSecret,
        maxEventBytes: this.#maxEventBytes,
        now: () => clock.now(),
        emit: (record) => this.#emit(record),
      },
    );
    for (const [key, value] of Object.entries(this.#parts.annotations ?? {})) audit.annotate(key, value);
    return audit;
  }

  /** Counts a request that was refused because its event could not be stored. */
  rejected(): void {
    this.#parts.metrics.rejected();
  }

  /** Writes what is buffered, and closes the backends. */
  async close(): Promise<void> {
    const results = await Promise.allSettled(this.#parts.backends.map((backend) => backend.close()));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  /** Every backend gets the event, whatever the others do. */
  #emit(record: AuditRecord): boolean | Promise<boolean> {
    this.#parts.metrics.event();
    let stored = true;
    let waits: Promise<boolean>[] | undefined;
    for (const backend of this.#parts.backends) {
      const taken = backend.take(record);
      if (taken instanceof Promise) (waits ??= []).push(taken);
      else stored &&= taken;
    }
    return waits === undefined ? stored : Promise.all(waits).then((all) => stored && all.every(Boolean));
  }
}

/** The bodies of credentials are never recorded. */
const withoutBodies = (decision: AuditDecision): AuditDecision => ({ ...decision, level: 'Metadata' });
