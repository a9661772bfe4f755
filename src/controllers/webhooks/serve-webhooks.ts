/**
 * Webhooks of a program that API servers elsewhere call: the functions that run in the process of a server, over TLS.
 *
 * @module
 */
import { InProcessWebhook } from '../../admission/index.js';
import type { Client } from '../../client/index.js';
import {
  aClock,
  aCount,
  aFunction,
  aName,
  aPositiveDuration,
  checkOptions,
  either,
  listOf,
  loading,
  matching,
  nested,
  withMethods,
  type Clock,
  type Duration,
  type OptionChecks,
} from '../../foundation/index.js';
import type { ConversionFunction } from '../../kinds/index.js';
import type { ServingCertificate } from '../../transport/index.js';
import type { PatchedConfigurations } from './authority-bundles.js';
import type { SecretName } from './shared-certificate.js';
import type { WebhookReach } from './written-configurations.js';

/** A certificate that the program makes, and replaces when two thirds of its lifetime have passed. */
export interface MadeCertificate {
  /** DNS names. Default `<name>.<namespace>.svc` of the Service in the option `reach`; without a Service, `localhost`. */
  readonly names?: readonly string[] | undefined;
  /** IP addresses. Default `127.0.0.1` and `::1`. */
  readonly addresses?: readonly string[] | undefined;
  /** Validity of a certificate and its authority. Default `2160h`, 90 days. */
  readonly lifetime?: Duration | undefined;
  /**
   * Secret that holds the certificate for all replicas: the first replica makes it, and the others serve the same. Needs
   * the option `client`, with `get`, `create` and `update` on Secrets. Default: each process makes its own.
   */
  readonly secret?: SecretName | undefined;
}

/** A certificate that comes from elsewhere, such as the files of a mounted Secret. */
export interface LoadedCertificate {
  /** Returns the current certificate, its key, and its authority. Called at the start, and each minute. */
  load(): ServingCertificate | Promise<ServingCertificate>;
}

/** Options of {@link serveWebhooks}. */
export interface WebhookServerOptions {
  /** Results of `webhook()`, each at the path `/admission/<name>`. */
  readonly webhooks?: readonly InProcessWebhook[] | undefined;
  /** Functions by the name of their definition, `<plural>.<group>`, each at the path `/conversion/<plural>.<group>`. */
  readonly conversions?: Readonly<Record<string, ConversionFunction>> | undefined;
  /** Port to listen on; 0 means a free port. Default 9443. */
  readonly port?: number | undefined;
  /** Address or host name to bind to. Default `127.0.0.1`; in a pod `0.0.0.0`. */
  readonly host?: string | undefined;
  /** Default: one that is made for `localhost`. */
  readonly certificate?: MadeCertificate | LoadedCertificate | undefined;
  /** Writes the `configurations`, and the Secret of the certificate. */
  readonly client?: Client | undefined;
  /**
   * Configurations and definitions whose `caBundle`s are kept to the authority of the certificate: those of the webhooks
   * whose path is served here. Objects that do not exist yet are patched when they appear.
   *
   * `apply` writes the configurations of the `webhooks` at the start, and keeps their `caBundle`s and those of the
   * definitions in `conversions`.
   */
  readonly configurations?: PatchedConfigurations | 'apply' | undefined;
  /** Name of the configurations that `apply` writes. Default that of the Service of `reach`. */
  readonly name?: string | undefined;
  /** Where API servers reach this server, for the configurations that `apply` writes. Default its own URL. */
  readonly reach?: WebhookReach | undefined;
  /** Maximum size of a review, in bytes; beyond it 413. Default 16 MiB. */
  readonly maxBytes?: number | undefined;
  /** Stops the server. */
  readonly signal?: AbortSignal | undefined;
  /** Clock of the certificates and of the timeouts. Default that of the client, or of the system. */
  readonly clock?: Clock | undefined;
  /** Called with what a function throws, and with failures to renew a certificate or to patch. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A server of webhooks. */
export interface WebhookServer extends AsyncDisposable {
  /** URL such as `https://127.0.0.1:9443`, without a trailing slash. */
  readonly url: string;
  /** Authority of the certificate that is served, in PEM. It changes when the certificate is replaced. */
  readonly authority: string;
  /** Lets the reviews in flight be answered, for at most `grace` (default `2s`), and stops. */
  close(options?: { readonly grace?: Duration | undefined }): Promise<void>;
}

const aListOfNames = listOf(aName, 'a list of names');
const anHttpsUrl = matching(
  'an https URL',
  (value) => typeof value === 'string' && URL.canParse(value) && new URL(value).protocol === 'https:',
);

const checks: OptionChecks<WebhookServerOptions> = {
  webhooks: listOf(
    matching('the result of webhook()', (value) => value instanceof InProcessWebhook),
    'a list of the results of webhook()',
  ),
  conversions: matching(
    'an object of functions, by names such as cronjobs.example.com',
    (value) =>
      typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'function'),
  ),
  port: matching(
    'a port from 0 to 65535, where 0 means a free port',
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535,
  ),
  host: aName,
  certificate: either(
    nested({ load: aFunction } satisfies OptionChecks<LoadedCertificate>, ['load']),
    nested({
      names: aListOfNames,
      addresses: aListOfNames,
      lifetime: aPositiveDuration,
      secret: nested({ namespace: aName, name: aName } satisfies OptionChecks<SecretName>, ['namespace', 'name']),
    } satisfies OptionChecks<MadeCertificate>),
  ),
  client: withMethods('a client, such as server.client() or the result of connect()', 'resource'),
  configurations: either(
    matching('apply, or an object of names', (value) => value === 'apply'),
    nested({
      mutating: aListOfNames,
      validating: aListOfNames,
      definitions: aListOfNames,
    } satisfies OptionChecks<PatchedConfigurations>),
  ),
  name: aName,
  reach: either(
    nested({ url: anHttpsUrl }, ['url']),
    nested(
      {
        service: nested(
          { namespace: aName, name: aName, port: aCount('ports', 1) } satisfies OptionChecks<
            Extract<WebhookReach, { service: unknown }>['service']
          >,
          ['namespace', 'name'],
        ),
      },
      ['service'],
    ),
  ),
  maxBytes: aCount('bytes', 1),
  signal: matching('an AbortSignal', (value) => value instanceof AbortSignal),
  clock: aClock,
  onError: aFunction,
};

/** Returns whether all replicas serve the certificate of one Secret. */
export const sharesCertificate = ({ certificate = {} }: WebhookServerOptions): boolean =>
  'secret' in certificate && certificate.secret !== undefined;

/** Returns the name of the configurations that are written; undefined when the options do not say it. */
export const configurationName = ({ name, reach }: WebhookServerOptions): string | undefined =>
  name ?? (reach !== undefined && 'service' in reach ? reach.service.name : undefined);

/**
 * Serves the functions of `webhook()`, and functions that convert, to API servers elsewhere, over TLS. Needs Node.
 *
 * ```
 * await using hooks = await serveWebhooks({
 *   webhooks: [noLatest],
 *   host: '0.0.0.0',
 *   reach: { service: { namespace: 'shop', name: 'hooks' } },
 *   certificate: { secret: { namespace: 'shop', name: 'hooks-certificate' } },
 *   client: await connect(),
 *   configurations: 'apply',
 * });
 * ```
 *
 * @throws TypeError that names an invalid option; Error of Node, such as `EADDRINUSE`; what `load` throws; ApiError when
 *   the Secret or, with `apply`, the configurations cannot be written
 */
export async function serveWebhooks(options: WebhookServerOptions): Promise<WebhookServer> {
  checkOptions('serveWebhooks', options, checks);
  const { webhooks = [], conversions = {}, client, configurations } = options;
  if (webhooks.length === 0 && Object.keys(conversions).length === 0)
    throw new TypeError('serveWebhooks: the option webhooks or conversions must have a function');
  const names = webhooks.map(({ name }) => name);
  const doubled = names.find((name, index) => names.indexOf(name) !== index);
  if (doubled !== undefined) throw new TypeError(`serveWebhooks: two webhooks have the name ${doubled}`);
  if (configurations !== undefined && client === undefined)
    throw new TypeError('serveWebhooks: the option configurations needs the option client');
  if (sharesCertificate(options) && client === undefined)
    throw new TypeError('serveWebhooks: the option certificate.secret needs the option client');
  if (configurations === 'apply' && configurationName(options) === undefined)
    throw new TypeError('serveWebhooks: the option configurations, with apply, needs the option name or reach.service');
  const { startWebhooks } = await loading(import('./start-webhooks.js'));
  return startWebhooks(options);
}
