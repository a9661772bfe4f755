import type { InProcessWebhook, WebhookDefinition } from '../../../src/admission/index.js';
import { serveWebhooks, type WebhookServer, type WebhookServerOptions } from '../../../src/entries/controllers.js';
import { webhook } from '../../../src/entries/index.js';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '../../../src/entries/kinds.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { nodeHttpClient, type NodeHttpClient } from '../../../src/transport/node/index.js';

/** A rule for creates and updates of ConfigMaps. */
export const RULE: WebhookDefinition['rules'][number] = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE'],
  resources: ['configmaps'],
};

/** Defines a webhook for ConfigMaps. */
export const hook = (
  name: string,
  handler: WebhookDefinition['handler'],
  more: Partial<WebhookDefinition> = {},
): InProcessWebhook => webhook({ name, rules: [RULE], handler, ...more });

/** A server that can call webhooks over TLS. */
export async function start(): Promise<TestServer & { readonly http: NodeHttpClient }> {
  const http = nodeHttpClient();
  const test = await startTestServer({ dialect: 'kubernetes', network: { httpClient: http } });
  return Object.assign(test, { http });
}

/** Serves webhooks on a free port. Clocks of tests are not that of TLS: the certificates are valid for long. */
export const serve = (options: WebhookServerOptions): Promise<WebhookServer> =>
  serveWebhooks({ port: 0, certificate: { lifetime: '876000h' }, ...options });

/** Creates a configuration of webhooks that are served here, without a bundle. */
export async function configure(
  { client }: Pick<TestServer, 'client'>,
  phase: 'Mutating' | 'Validating',
  name: string,
  hooks: Readonly<Record<string, string>>,
  more: { readonly failurePolicy?: 'Fail' | 'Ignore'; readonly admissionReviewVersions?: string[] } = {},
): Promise<void> {
  const webhooks = Object.entries(hooks).map(([hookName, url]) => ({
    name: hookName,
    rules: [RULE],
    sideEffects: 'None' as const,
    admissionReviewVersions: ['v1'],
    clientConfig: { url },
    ...more,
  }));
  if (phase === 'Mutating')
    await client.resource(MutatingWebhookConfiguration).create({ metadata: { name }, webhooks });
  else await client.resource(ValidatingWebhookConfiguration).create({ metadata: { name }, webhooks });
}

/** Returns the certificates of a bundle. */
export const certificatesIn = (caBundle: string | undefined): string[] =>
  Buffer.from(caBundle ?? '', 'base64')
    .toString()
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .filter((text) => text !== '');

/** The bundles of a configuration. */
interface Bundled {
  readonly webhooks?: readonly { readonly clientConfig: { readonly caBundle?: string | undefined } }[] | undefined;
}

const firstBundle = (configuration: Bundled | undefined): string[] =>
  certificatesIn(configuration?.webhooks?.[0]?.clientConfig.caBundle);

/** Waits until the bundle of a configuration's first webhook has a number of authorities, and returns them. */
export async function bundleWith(
  count: number,
  { client }: Pick<TestServer, 'client'>,
  name: string,
  phase: 'Mutating' | 'Validating' = 'Validating',
): Promise<string[]> {
  const has = (configuration: Bundled | undefined): boolean => firstBundle(configuration).length === count;
  return firstBundle(
    phase === 'Mutating'
      ? await client.resource(MutatingWebhookConfiguration).waitFor(name, has)
      : await client.resource(ValidatingWebhookConfiguration).waitFor(name, has),
  );
}
