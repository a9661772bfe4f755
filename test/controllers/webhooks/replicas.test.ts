import { expect, test } from 'vitest';
import { serveWebhooks, type WebhookServerOptions } from '../../../src/entries/controllers.js';
import { ConfigMap, Secret } from '../../../src/entries/kinds.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { bundleWith, configure, hook, serve, start } from './support.js';

/** Two thirds of the lifetime of a certificate that began here end in 2020, so that both are valid while the test runs. */
const BEGIN = Date.UTC(1980, 0, 1);
const SIXTY_YEARS = `${60 * 8766}h`;
const FORTY_YEARS_MS = 40 * 8766 * 3_600_000;

const secret = { namespace: 'default', name: 'hooks' };
const yes = hook('yes.example.com', () => ({ allowed: true }));

type Running = Awaited<ReturnType<typeof start>>;
const maps = ({ client }: Running) => client.resource(ConfigMap).namespace('default');
const secrets = ({ client }: Running) => client.resource(Secret).namespace('default');
const decoded = (value: string | undefined) => Buffer.from(value ?? '', 'base64').toString();

const optionsOf = (of: Running): WebhookServerOptions => ({
  ...{ webhooks: [yes], port: 0, client: of.client, configurations: { validating: ['v'] } },
  certificate: { lifetime: '876000h', secret },
});

test('replicas serve the certificate that the first one has put into a Secret', async () => {
  await using of = await start();
  const [one, two] = await Promise.all([serveWebhooks(optionsOf(of)), serveWebhooks(optionsOf(of))]);
  await using _one = one;
  await using _two = two;
  expect(two.authority).toBe(one.authority);
  const { data = {} } = await secrets(of).get('hooks');
  expect(Object.keys(data).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
  expect(decoded(data['ca.crt'])).toBe(one.authority);
  const path = '/admission/yes.example.com';
  await configure(of, 'Validating', 'v', { 'a.example.com': one.url + path, 'b.example.com': two.url + path });
  expect(await bundleWith(1, of, 'v')).toEqual([one.authority]);
  expect((await maps(of).create({ metadata: { name: 'a' } })).metadata.name).toBe('a');
});

test('replicas replace the certificate together, and no request fails', async () => {
  await using of = await start();
  const long = { lifetime: SIXTY_YEARS, secret };
  const maker = await serveWebhooks({ ...optionsOf(of), clock: createManualClock(BEGIN), certificate: long });
  await maker.close();
  // Half an hour before two thirds of its lifetime.
  const clock = createManualClock(BEGIN + FORTY_YEARS_MS - 1_800_000);
  const options = { ...optionsOf(of), clock, certificate: long };
  await using one = await serveWebhooks(options);
  await using two = await serveWebhooks(options);
  const first = maker.authority;
  expect([one.authority, two.authority]).toEqual([first, first]);
  const path = '/admission/yes.example.com';
  await configure(of, 'Validating', 'v', { 'a.example.com': one.url + path, 'b.example.com': two.url + path });
  await bundleWith(1, of, 'v');

  await clock.advance('5m');
  expect([one.authority, two.authority]).toEqual([first, first]);
  while ((await secrets(of).get('hooks')).data?.['next.tls.crt'] === undefined) await clock.advance('10s');
  const both = await bundleWith(2, of, 'v');
  expect([one.authority, two.authority, both.includes(first)]).toEqual([first, first, true]);
  // One that starts now serves what the clients trust already.
  await using three = await serveWebhooks(options);
  expect(three.authority).toBe(first);

  const hasFirst = (): boolean => [one, two, three].some(({ authority }) => authority === first);
  for (let step = 0; hasFirst(); step += 1) {
    await maps(of).create({ metadata: { name: `map-${step}` } });
    await clock.advance('10s');
  }
  expect(new Set([one.authority, two.authority, three.authority]).size).toBe(1);
  // A replica that has not heard of it yet may still serve the previous certificate.
  expect((await bundleWith(2, of, 'v')).sort()).toEqual([first, one.authority].sort());
  await maps(of).create({ metadata: { name: 'after' } });
  const { data = {} } = await secrets(of).get('hooks');
  expect(Object.keys(data).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
  expect(decoded(data['ca.crt'])).toBe(one.authority);
});

test('a certificate that has expired while nobody served it is replaced at once', async () => {
  await using of = await start();
  const clock = createManualClock(Date.now() - 10 * 3_600_000);
  const options = { ...optionsOf(of), clock, certificate: { lifetime: '2h', secret } };
  const old = await serveWebhooks(options);
  await old.close();
  await clock.advance('10h');
  await using next = await serveWebhooks({ ...options, certificate: { lifetime: '876000h', secret } });
  expect(next.authority).not.toBe(old.authority);
  await configure(of, 'Validating', 'v', { 'a.example.com': `${next.url}/admission/yes.example.com` });
  await bundleWith(1, of, 'v');
  expect((await maps(of).create({ metadata: { name: 'a' } })).metadata.name).toBe('a');
});

test('a Secret that exists keeps its other keys, and one that holds something else is left alone', async () => {
  await using of = await start();
  await secrets(of).create({ metadata: { name: 'hooks' }, stringData: { note: 'ours' } });
  await using _hooks = await serveWebhooks(optionsOf(of));
  expect(decoded((await secrets(of).get('hooks')).data?.['note'])).toBe('ours');
  await secrets(of).create({ metadata: { name: 'other' }, stringData: { 'tls.crt': 'a', 'tls.key': 'b' } });
  const certificate = { secret: { namespace: 'default', name: 'other' } };
  await expect(serveWebhooks({ ...optionsOf(of), certificate })).rejects.toMatchObject({
    message: 'the Secret default/other has no certificate that can be read',
    cause: { message: 'it must have all of tls.crt, tls.key, ca.crt' },
  });
});

test('a Secret needs a client that may write it', async () => {
  await using of = await start();
  await expect(serveWebhooks({ webhooks: [yes], certificate: { secret } })).rejects.toThrow(
    'the option certificate.secret needs the option client',
  );
  const client = of.server.client({ user: 'nobody' });
  await expect(serve({ ...optionsOf(of), client })).rejects.toMatchObject({ code: 403 });
});
