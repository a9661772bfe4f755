import { describe, expect, test } from 'vitest';
import type { WebhookServerOptions } from '../../../src/entries/controllers.js';
import { ConfigMap, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '../../../src/entries/kinds.js';
import { bundleWith, certificatesIn, configure, hook, RULE, serve, start } from './support.js';

type Running = Awaited<ReturnType<typeof start>>;
const maps = ({ client }: Running) => client.resource(ConfigMap).namespace('default');
const validating = ({ client }: Running) => client.resource(ValidatingWebhookConfiguration);
const mutating = ({ client }: Running) => client.resource(MutatingWebhookConfiguration);

const labels = hook(
  'label.example.com',
  () => ({ allowed: true, patch: [{ op: 'add', path: '/data', value: { seen: 'yes' } }] }),
  { phase: 'Mutating', reinvocationPolicy: 'IfNeeded' },
);
const refuses = hook('refuse.example.com', ({ name }) => ({ allowed: name !== 'bad' }), {
  timeout: '2500ms',
  failurePolicy: 'Ignore',
  objectSelector: { matchLabels: { checked: 'yes' } },
  matchConditions: [{ name: 'named', expression: "object.metadata.name != 'free'" }],
});

const optionsOf = (of: Running): WebhookServerOptions => ({
  ...{ webhooks: [labels, refuses], client: of.client, configurations: 'apply', name: 'shop' },
});

describe('configurations that are applied', () => {
  test('are called as their webhooks say', async () => {
    await using of = await start();
    await using hooks = await serve(optionsOf(of));
    const [stored] = (await validating(of).get('shop')).webhooks ?? [];
    expect(stored).toMatchObject({
      name: 'refuse.example.com',
      clientConfig: { url: `${hooks.url}/admission/refuse.example.com` },
      rules: [RULE],
      ...{ failurePolicy: 'Ignore', sideEffects: 'None', timeoutSeconds: 3, admissionReviewVersions: ['v1'] },
      objectSelector: { matchLabels: { checked: 'yes' } },
      matchConditions: [{ name: 'named', expression: "object.metadata.name != 'free'" }],
    });
    expect(certificatesIn(stored?.clientConfig.caBundle)).toEqual([hooks.authority]);
    expect((await mutating(of).get('shop')).webhooks?.[0]?.reinvocationPolicy).toBe('IfNeeded');
    const map = (name: string) => ({ metadata: { name, labels: { checked: 'yes' } } });
    expect((await maps(of).create(map('good'))).data).toEqual({ seen: 'yes' });
    await expect(maps(of).create(map('bad'))).rejects.toMatchObject({ code: 400 });
  });

  test('name a Service where it is given, and the certificate its name', async () => {
    await using of = await start();
    await using _hooks = await serve({
      ...{ webhooks: [refuses], client: of.client, configurations: 'apply' },
      reach: { service: { namespace: 'shop', name: 'hooks', port: 8443 } },
    });
    expect((await validating(of).get('hooks')).webhooks?.[0]?.clientConfig).toMatchObject({
      service: { namespace: 'shop', name: 'hooks', port: 8443, path: '/admission/refuse.example.com' },
    });
  });

  test('are written again by the next program, whose webhooks they then have', async () => {
    await using of = await start();
    const reach = { url: 'https://hooks.shop.example' };
    const old = await serve({ ...optionsOf(of), reach });
    await old.close();
    const other = hook('other.example.com', () => ({ allowed: true }));
    await using hooks = await serve({ ...optionsOf(of), reach, webhooks: [other, refuses] });
    const { webhooks = [] } = await validating(of).get('shop');
    expect(webhooks.map(({ name }) => name)).toEqual(['other.example.com', 'refuse.example.com']);
    // The authority of the previous program may still be served by a replica.
    expect((await bundleWith(2, of, 'shop'))[0]).toBe(hooks.authority);
    await expect(mutating(of).get('shop')).rejects.toMatchObject({ code: 404 });
  });

  test('are not written again by a replica that has the same', async () => {
    await using of = await start();
    const options: WebhookServerOptions = {
      ...optionsOf(of),
      reach: { url: 'https://hooks.shop.example' },
      certificate: { lifetime: '876000h', secret: { namespace: 'default', name: 'hooks' } },
    };
    await using _one = await serve(options);
    const before = await validating(of).get('shop');
    await using _two = await serve(options);
    expect((await validating(of).get('shop')).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  test('of a phase without webhooks stay if others are in them', async () => {
    await using of = await start();
    await configure(of, 'Mutating', 'shop', { 'a.example.com': 'https://other.example/a' });
    await using _hooks = await serve({ ...optionsOf(of), webhooks: [refuses] });
    expect((await mutating(of).get('shop')).webhooks).toHaveLength(1);
  });

  test('keep their bundles', async () => {
    await using of = await start();
    await using hooks = await serve(optionsOf(of));
    await validating(of).patch('shop', [{ op: 'remove', path: '/webhooks/0/clientConfig/caBundle' }]);
    expect(await bundleWith(1, of, 'shop')).toEqual([hooks.authority]);
  });

  test('must have a name, and be allowed', async () => {
    await using of = await start();
    const { name: _name, ...nameless } = optionsOf(of);
    await expect(serve(nameless)).rejects.toThrow(
      'the option configurations, with apply, needs the option name or reach.service',
    );
    await expect(serve({ ...nameless, reach: { url: 'http://hooks.example' } })).rejects.toThrow(TypeError);
    const client = of.server.client({ user: 'nobody' });
    await expect(serve({ ...optionsOf(of), client })).rejects.toMatchObject({ code: 403 });
  });
});
