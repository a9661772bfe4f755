import { consoleLogger, durationMs, onAbort, systemClock, type Clock } from '../../foundation/index.js';
import type { ServingCertificate } from '../../transport/index.js';
import { importCertificates, importListen } from '../../transport/late-node.js';
import type { Listener } from '../../transport/node.js';
import { AuthorityBundles, type PatchedConfigurations } from './authority-bundles.js';
import { CertificateRotation, LOAD_MS, RENEW_AFTER, type CertificateSource } from './certificate-rotation.js';
import {
  configurationName,
  sharesCertificate,
  type LoadedCertificate,
  type MadeCertificate,
  type WebhookServer,
  type WebhookServerOptions,
} from './serve-webhooks.js';
import { SharedCertificate } from './shared-certificate.js';
import { admissionPath, conversionPath, webhookTarget } from './webhook-target.js';
import { writeConfigurations } from './written-configurations.js';

const DEFAULT_PORT = 9443;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
/** How many reviews of the maximum size are answered at a time. */
const MAX_REVIEWS = 4;
const DEFAULT_LIFETIME = '2160h';

/** Starts a server of webhooks. @param options checked */
export async function startWebhooks(options: WebhookServerOptions): Promise<WebhookServer> {
  const { webhooks = [], conversions = {}, maxBytes = DEFAULT_MAX_BYTES, certificate = {}, signal } = options;
  const { client, host, port = DEFAULT_PORT, onError = reportError } = options;
  const clock = options.clock ?? client?.backend.clock ?? systemClock;
  const { listen } = await importListen();
  const source = 'load' in certificate ? loadedSource(certificate) : await sourceOf(certificate, options, clock);
  const first = await source.next(undefined);
  const target = webhookTarget({
    webhooks,
    conversions,
    clock,
    maxBytes,
    maxTotalBytes: MAX_REVIEWS * maxBytes,
    onError,
  });
  const tls = { key: first.keyPem, cert: first.certPem };
  const listener = await listen(target, { host, port, tls });
  const configurations = await writtenConfigurations(options, listener.url, first.caPem).catch(
    async (error: unknown) => {
      await listener.close();
      throw error;
    },
  );
  const paths = new Set([
    ...webhooks.map(({ name }) => admissionPath(name)),
    ...Object.keys(conversions).map(conversionPath),
  ]);
  const bundles =
    client === undefined
      ? undefined
      : new AuthorityBundles({
          ...{ client, configurations, clock, onError },
          serves: (path) => paths.has(path),
          isShared: !('load' in certificate),
          keepsPrevious: sharesCertificate(options),
        });
  const rotation = new CertificateRotation(first, {
    ...{ source, clock, onError },
    trust: async (authorities) => (await bundles?.trust(authorities)) ?? true,
    serve: ({ keyPem: key, certPem: cert }) => listener.renew({ key, cert }),
  });
  await bundles?.trust([first.caPem]);
  return serverOf({ listener, rotation, bundles, signal });
}

function reportError(error: unknown): void {
  consoleLogger.error('a webhook failed, or its certificate', { error });
}

/** The parts of a running server. */
interface RunningParts {
  readonly listener: Listener;
  readonly rotation: CertificateRotation;
  readonly bundles: AuthorityBundles | undefined;
  readonly signal: AbortSignal | undefined;
}

function serverOf({ listener, rotation, bundles, signal }: RunningParts): WebhookServer {
  const stop = new AbortController();
  const following = bundles?.follow(stop.signal);
  rotation.start();
  const close: WebhookServer['close'] = async (closing) => {
    stopListening();
    stop.abort();
    await Promise.all([rotation.stop(), listener.close(closing), following]);
  };
  const stopListening = onAbort(signal, () => void close());
  if (signal?.aborted === true) void close();
  return {
    url: listener.url,
    get authority() {
      return rotation.current.caPem;
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

const loadedSource = (certificate: LoadedCertificate): CertificateSource => ({
  next: async () => certificate.load(),
  waitMs: () => LOAD_MS,
});

/** Returns the source of certificates that are made, each with an authority of its own. */
async function sourceOf(
  { names, addresses, lifetime = DEFAULT_LIFETIME, secret }: MadeCertificate,
  { reach, client }: WebhookServerOptions,
  clock: Clock,
): Promise<CertificateSource> {
  const { createServingCertificate } = await importCertificates();
  const service = reach !== undefined && 'service' in reach ? reach.service : undefined;
  const ownNames = service && [`${service.name}.${service.namespace}.svc`];
  const make = (): Promise<ServingCertificate> =>
    createServingCertificate({ names: names ?? ownNames, addresses, duration: lifetime, clock });
  return secret === undefined || client === undefined
    ? madeSource(make, durationMs(lifetime), clock)
    : new SharedCertificate({ client, secret, clock, make });
}

function madeSource(make: () => Promise<ServingCertificate>, lifetimeMs: number, clock: Clock): CertificateSource {
  let renewAtMs = 0;
  return {
    async next(current): Promise<ServingCertificate> {
      if (current !== undefined && clock.now() < renewAtMs) return current;
      const made = await make();
      renewAtMs = clock.now() + lifetimeMs * RENEW_AFTER;
      return made;
    },
    waitMs: () => Math.max(0, renewAtMs - clock.now()),
  };
}

/** Returns the objects whose bundles are kept, after the configurations that are asked for have been written. */
async function writtenConfigurations(
  options: WebhookServerOptions,
  url: string,
  authority: string,
): Promise<PatchedConfigurations> {
  const { configurations = {}, client, webhooks = [], conversions = {}, reach = { url } } = options;
  if (configurations !== 'apply') return configurations;
  const name = configurationName(options);
  if (client === undefined || name === undefined) return {};
  const written = await writeConfigurations({ client, name, webhooks, reach, authority });
  return { ...written, definitions: Object.keys(conversions) };
}
