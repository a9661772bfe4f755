import { describe, expect, test } from 'vitest';
import { serveWebhooks } from '../../../src/entries/controllers.js';
import { ConfigMap, ValidatingWebhookConfiguration } from '../../../src/entries/kinds.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { createServingCertificate, listen } from '../../../src/transport/node/index.js';
import { bundleWith, configure, hook, serve, start } from './support.js';

/** Two thirds of the lifetime of a certificate that began here end in 2020, so that both are valid while the test runs. */
const BEGIN = Date.UTC(1980, 0, 1);
const SIXTY_YEARS = `${60 * 8766}h`;
const FORTY_YEARS = `${40 * 8766}h`;

const yes = hook('yes.example.com', () => ({ allowed: true }));
const maps = ({ client }: Pick<Awaited<ReturnType<typeof start>>, 'client'>) =>
  client.resource(ConfigMap).namespace('default');

describe('the certificate of webhooks', () => {
  test('is replaced before it expires, and no request fails', async () => {
    await using of = await start();
    const clock = createManualClock(BEGIN);
    let release: () => void = () => undefined;
    let isHolding: () => void = () => undefined;
    const holding = new Promise<void>((resolve) => (isHolding = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    const holds = hook('hold.example.com', async ({ name }) => {
      if (name === 'held') {
        isHolding();
        await released;
      }
      return { allowed: true };
    });
    await using hooks = await serveWebhooks({
      ...{ webhooks: [holds], port: 0, clock, certificate: { lifetime: SIXTY_YEARS } },
      ...{ client: of.client, configurations: { validating: ['v'] } },
    });
    const first = hooks.authority;
    await configure(of, 'Validating', 'v', { 'hold.example.com': `${hooks.url}/admission/hold.example.com` });
    await bundleWith(1, of, 'v');
    const create = (name: string) => maps(of).create({ metadata: { name } });
    await create('before');

    await clock.advance(FORTY_YEARS);
    const both = await bundleWith(2, of, 'v');
    expect([hooks.authority, both[1]]).toEqual([first, first]);
    await create('between');

    // A review is being answered when the certificate is replaced, a minute after its authority is trusted.
    await clock.advance('55s');
    expect(hooks.authority).toBe(first);
    const held = create('held');
    await holding;
    await clock.advance('5s');
    while (hooks.authority === first) await clock.advance('1s');
    expect(await bundleWith(1, of, 'v')).toEqual([hooks.authority]);
    expect(hooks.authority).toBe(both[0]);
    await create('after');
    release();
    expect((await held).metadata.name).toBe('held');
  });

  test('is loaded each minute, and its authority replaces others', async () => {
    await using of = await start();
    const clock = createManualClock();
    const certificates = [await createServingCertificate(), await createServingCertificate()];
    let current = 0;
    const load = () => certificates[current] ?? Promise.reject(new Error('gone'));
    const reported: unknown[] = [];
    await using hooks = await serveWebhooks({
      ...{ webhooks: [yes], port: 0, clock, certificate: { load } },
      ...{ client: of.client, configurations: { validating: ['v'] } },
      onError: (error) => reported.push(error),
    });
    await configure(of, 'Validating', 'v', { 'yes.example.com': `${hooks.url}/admission/yes.example.com` });
    await bundleWith(1, of, 'v');
    await maps(of).create({ metadata: { name: 'a' } });
    current = 1;
    while (hooks.authority === certificates[0]?.caPem) await clock.advance('1m');
    expect(await bundleWith(1, of, 'v')).toEqual([certificates[1]?.caPem]);
    await maps(of).create({ metadata: { name: 'b' } });
    current = 2;
    while (reported.length === 0) await clock.advance('1m');
    expect(reported[0]).toMatchObject({ cause: new Error('gone') });
    await maps(of).create({ metadata: { name: 'c' } });
  });
});

describe('the caBundle', () => {
  test('is repaired when others change it, and other webhooks are left alone', async () => {
    await using of = await start();
    await using hooks = await serve({ webhooks: [yes], client: of.client, configurations: { validating: ['v'] } });
    await configure(
      of,
      'Validating',
      'v',
      { 'yes.example.com': `${hooks.url}/admission/yes.example.com`, 'other.example.com': 'https://127.0.0.1:1/other' },
      { failurePolicy: 'Ignore' },
    );
    await bundleWith(1, of, 'v');
    const configurations = of.client.resource(ValidatingWebhookConfiguration);
    await configurations.patch('v', [{ op: 'remove', path: '/webhooks/0/clientConfig/caBundle' }]);
    await bundleWith(1, of, 'v');
    expect((await configurations.get('v')).webhooks?.[1]?.clientConfig).toEqual({ url: 'https://127.0.0.1:1/other' });
  });

  test('has the authorities of all processes that make their own', async () => {
    await using of = await start();
    const options = { webhooks: [yes], client: of.client, configurations: { validating: ['v'] } };
    await using one = await serve(options);
    await using two = await serve(options);
    await configure(of, 'Validating', 'v', { 'yes.example.com': `${one.url}/admission/yes.example.com` });
    expect((await bundleWith(2, of, 'v')).sort()).toEqual([one.authority, two.authority].sort());
    await maps(of).create({ metadata: { name: 'a' } });
  });

  test('is reported when it may not be patched', async () => {
    await using of = await start();
    const reported: unknown[] = [];
    const client = of.server.client({ user: 'nobody' });
    const onError = (error: unknown) => void reported.push(error);
    await using _hooks = await serve({ webhooks: [yes], client, configurations: { validating: ['v'] }, onError });
    expect(reported[0]).toMatchObject({ message: 'the caBundle of v could not be patched', cause: { code: 403 } });
  });
});

describe('serveWebhooks', () => {
  test('refuses invalid options', async () => {
    const configurations = { validating: ['v'] };
    await expect(serveWebhooks({})).rejects.toThrow('the option webhooks or conversions must have a function');
    await expect(serveWebhooks({ webhooks: [yes, yes] })).rejects.toThrow('two webhooks have the name yes.example.com');
    await expect(serveWebhooks({ webhooks: [yes], configurations })).rejects.toThrow('needs the option client');
    await expect(serveWebhooks({ webhooks: [yes], port: -1 })).rejects.toThrow(TypeError);
  });

  test('ends with its signal', async () => {
    const stop = new AbortController();
    const hooks = await serve({ webhooks: [yes], signal: stop.signal });
    stop.abort();
    await hooks.close();
    await expect(fetch(hooks.url)).rejects.toThrow();
  });
});

test('a listener of plaintext has no certificate to renew', async () => {
  await using listener = await listen({ handle: async () => ({ status: 200, headers: {}, body: '' }) });
  expect(() => listener.renew({ key: '', cert: '' })).toThrow(new TypeError('renew: the listener serves plaintext'));
});
