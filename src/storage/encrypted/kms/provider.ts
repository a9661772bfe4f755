import { messageOf, parseGoDuration, type Clock, type Entropy, type Timer } from '../../../foundation/index.js';
import type { EncryptionTally } from '../tally.js';
import type { KmsProvider } from '../types.js';
import { hashIfNotEmpty, problemOfKeyId } from './encrypted-object.js';
import { KmsEnvelope } from './envelope.js';
import { KeyIdSeries } from './key-id-series.js';
import type { KmsStatus } from './messages.js';
import { KmsService } from './service.js';

/** The parts of its host that a provider needs. */
export interface KmsHost {
  readonly clock: Clock;
  readonly entropy: Pick<Entropy, 'bytes' | 'uuid'>;
  readonly tally: EncryptionTally;
}

/** Timeout of a call without `timeout`, as Kubernetes sets it. */
export const DEFAULT_TIMEOUT = '3s';
/** Intervals of the status, in milliseconds. */
const GOOD_INTERVAL_MS = 60_000;
const BAD_INTERVAL_MS = 10_000;
/** Durations for which the result of a check is kept, in milliseconds. */
const GOOD_RESULT_MS = 20_000;
const BAD_RESULT_MS = 3_000;

const KNOWN_VERSIONS = ['v2', 'v2beta1'];
const OK = 'ok';

/** A key service: its envelope, whose key follows the status of the service. */
export class KmsKeyProvider {
  readonly name: string;
  readonly envelope: KmsEnvelope;
  readonly #host: KmsHost;
  readonly #service: KmsService;
  readonly #keyIds: KeyIdSeries;
  #result: { readonly error: unknown; readonly at: number } | undefined;
  #checking: Promise<void> | undefined;
  #timer: Timer | undefined;
  #version: string | undefined;
  #isClosed = false;

  /** @param provider a valid provider */
  constructor({ name, endpoint, timeout = DEFAULT_TIMEOUT }: KmsProvider, host: KmsHost) {
    this.name = name;
    this.#host = host;
    const { clock, tally } = host;
    this.#service = new KmsService({
      ...{ name, clock, tally },
      socket: socketOf(endpoint),
      timeoutMs: parseGoDuration(timeout),
    });
    this.envelope = new KmsEnvelope({ ...host, name, service: this.#service });
    this.#keyIds = new KeyIdSeries({ name, clock, tally });
  }

  /** Asks for the status, and from then on at intervals. @returns whether the service is healthy */
  async start(): Promise<boolean> {
    const isHealthy = await this.check().then(
      () => true,
      () => false,
    );
    if (!this.#isClosed)
      this.#timer = this.#host.clock.after(isHealthy ? GOOD_INTERVAL_MS : BAD_INTERVAL_MS, () => void this.start());
    return isHealthy;
  }

  /**
   * Checks the service, unless it was checked a short time ago.
   *
   * @throws Error in the words of Kubernetes when it is not healthy
   */
  check(): Promise<void> {
    return (this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    }));
  }

  /** Ends the calls, and asks for no status any more. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#service.close();
  }

  async #check(): Promise<void> {
    const { clock } = this.#host;
    const last = this.#result;
    if (last !== undefined) {
      if (clock.now() - last.at < (last.error === undefined ? GOOD_RESULT_MS : BAD_RESULT_MS)) {
        if (last.error !== undefined) throw last.error;
        return;
      }
    }
    let error: unknown;
    try {
      await this.#assertHealthy(await this.#status());
    } catch (caught) {
      error = caught;
    }
    this.#result = { error, at: clock.now() };
    if (error !== undefined) throw error;
  }

  async #status(): Promise<KmsStatus> {
    try {
      return await this.#service.status();
    } catch (error) {
      throw new Error(
        `failed to perform status section of the healthz check for KMS Provider ${this.name}, error: ${messageOf(error)}`,
        { cause: error },
      );
    }
  }

  /** Checks a status, and lets the envelope follow its key id. */
  async #assertHealthy({ healthz, version, keyId }: KmsStatus): Promise<void> {
    const problems: string[] = [];
    if (healthz !== OK) problems.push(`got unexpected healthz status: ${healthz}`);
    if (!KNOWN_VERSIONS.includes(version)) problems.push(`expected KMSv2 API version v2, got ${version}`);
    else if ((this.#version ??= version) !== version)
      problems.push(`KMSv2 API version should not change after the initial version ${this.#version}, got ${version}`);
    const problem = problemOfKeyId(keyId);
    if (problem !== undefined) {
      this.#host.tally.add('apiserver_envelope_encryption_invalid_key_id_from_status_total', {
        provider_name: this.name,
        error: problem.code,
      });
      problems.push(`got invalid KMSv2 KeyID hash ${JSON.stringify(hashIfNotEmpty(keyId))}: ${problem.message}`);
    } else {
      this.#keyIds.reported(keyId);
      await this.envelope.confirm(keyId).catch((error: unknown) => problems.push(messageOf(error)));
    }
    if (problems.length === 0) return;
    const text = problems.length === 1 ? problems.join() : `[${problems.join(', ')}]`;
    throw new Error(`kmsv2 Provider ${this.name} is not healthy, error: ${text}`);
  }
}

/** Returns the path of the socket of an endpoint. One that starts with `@` is an abstract socket of Linux. */
function socketOf(endpoint: string): string {
  const path = decodeURIComponent(new URL(endpoint).pathname);
  return path.startsWith('/@') ? `\0${path.slice(2)}` : path;
}
