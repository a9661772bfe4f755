import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ApiServerOptions } from '../../src/apiserver/options/api-server-options.js';
import { ResourceClient } from '../../src/entries/client.js';
import { retainedUntil } from '../../src/controllers/certificates/retention.js';
import { formatTime } from '../../src/foundation/time/time.js';
import { ManualClock } from '../storage/manual-clock.js';
import { base64 } from '../support/certificates.js';
import { keptOpenStorage } from '../support/kept-open-storage.js';
import {
  ask,
  askApproved,
  authorityAt,
  DAY_MS,
  decide,
  HOUR_MS,
  MINUTE_MS,
  requestsOf,
  world,
  type World,
} from './signing.js';

/** A server that cleans up requests, and runs no other controller on them. */
const start = (options: ApiServerOptions = {}): World =>
  world({ ...options, controllers: { disable: ['csrapproving', 'csrsigning'], ...options.controllers } });

const namesOf = async ({ client }: World): Promise<string[]> =>
  (await requestsOf(client).list()).items.map(({ metadata }) => metadata.name ?? '');

async function advance(w: World, ms: number): Promise<string[]> {
  await w.server.settled();
  w.clock.advance(ms);
  await w.server.settled();
  return namesOf(w);
}

/** Writes a certificate that expires after the given milliseconds into an approved request. */
async function sign({ client, clock }: World, name: string, endsInMs: number): Promise<void> {
  const authority = await authorityAt(clock.now());
  const { publicKey } = authority.certificate;
  const der = await authority.issue({
    subject: { commonName: name },
    publicKey: publicKey.raw,
    notBefore: clock.now() - MINUTE_MS,
    notAfter: clock.now() + endsInMs,
  });
  const pem = `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString('base64')}\n-----END CERTIFICATE-----\n`;
  const object = await requestsOf(client).get(name);
  await requestsOf(client).updateStatus({
    ...object,
    status: { ...object.status, certificate: base64(pem + authority.certificatePem) },
  });
}

async function fail({ client }: World, name: string): Promise<void> {
  const object = await requestsOf(client).get(name);
  await requestsOf(client).updateStatus({
    ...object,
    status: {
      ...object.status,
      conditions: [
        ...(object.status?.conditions ?? []),
        { type: 'Failed', status: 'True', reason: 'ByTheTest', message: '' },
      ],
    },
  });
}

describe('the cleaner of requests', () => {
  test('deletes undecided requests with the first sweep after a day', async () => {
    await using w = start();
    await advance(w, MINUTE_MS);
    await ask(w.client, 'pending');
    expect(await advance(w, 24 * HOUR_MS - MINUTE_MS)).toEqual(['pending']);
    expect(await advance(w, HOUR_MS - 1)).toEqual(['pending']);
    expect(await advance(w, 1)).toEqual([]);
  });

  test.each<readonly [string, (w: World) => Promise<unknown>]>([
    ['denied', (w) => decide(w.client, 'a', 'Denied')],
    ['failed', (w) => fail(w, 'a')],
    [
      'approved and failed',
      async (w) => {
        await decide(w.client, 'a');
        await fail(w, 'a');
      },
    ],
    [
      'signed',
      async (w) => {
        await decide(w.client, 'a');
        await sign(w, 'a', DAY_MS);
      },
    ],
  ])('deletes %s requests with the first sweep after an hour', async (_case, finish) => {
    await using w = start();
    await ask(w.client, 'a');
    await advance(w, MINUTE_MS);
    await finish(w);
    expect(await advance(w, HOUR_MS - MINUTE_MS)).toEqual(['a']);
    expect(await advance(w, HOUR_MS - 1)).toEqual(['a']);
    expect(await advance(w, 1)).toEqual([]);
  });

  test('sweeps on whole hours after the start of the server, whenever the first request was created', async () => {
    await using w = start();
    await advance(w, 10 * HOUR_MS + 59 * MINUTE_MS);
    await ask(w.client, 'a');
    await decide(w.client, 'a', 'Denied');
    expect(await advance(w, HOUR_MS)).toEqual(['a']);
    expect(await advance(w, MINUTE_MS + 1)).toEqual([]);
  });

  test('deletes no request immediately after its creation', async () => {
    await using w = start();
    const old = formatTime(w.clock.now() - 30 * DAY_MS);
    await ask(w.client, 'a');
    const object = await requestsOf(w.client).get('a');
    await requestsOf(w.client).updateStatus({
      ...object,
      status: {
        conditions: [{ type: 'Failed', status: 'True', reason: 'ByTheTest', message: '', lastUpdateTime: old }],
      },
    });
    expect(await advance(w, HOUR_MS - 1)).toEqual(['a']);
    expect(await advance(w, 1)).toEqual([]);
  });

  test('keeps an approved request until it is signed', async () => {
    await using w = start();
    await askApproved(w.client, 'a');
    expect(await advance(w, 30 * DAY_MS)).toEqual(['a']);
    await sign(w, 'a', DAY_MS);
    expect(await advance(w, HOUR_MS - 1)).toEqual(['a']);
    expect(await advance(w, 1)).toEqual([]);
  });

  test.each([20 * MINUTE_MS, -MINUTE_MS])(
    'deletes an issued request with the sweep after its certificate expires, in %d ms',
    async (endsInMs) => {
      await using w = start();
      await advance(w, 10 * MINUTE_MS);
      await askApproved(w.client, 'a');
      await sign(w, 'a', endsInMs);
      expect(await advance(w, 50 * MINUTE_MS - 1)).toEqual(['a']);
      expect(await advance(w, 1)).toEqual([]);
    },
  );

  test('deletes requests left by a previous server within an hour of its start', async () => {
    const storage = keptOpenStorage(new ManualClock());
    await using before = start({ storage, controllers: { disable: ['csrapproving', 'csrsigning', 'csrcleaner'] } });
    await ask(before.client, 'a');
    expect(await advance(before, DAY_MS + 1)).toEqual(['a']);
    await using after = start({ storage, clock: before.clock });
    const w = { ...after, clock: before.clock };
    expect(await namesOf(w)).toEqual(['a']);
    expect(await advance(w, HOUR_MS - 1)).toEqual(['a']);
    expect(await advance(w, 1)).toEqual([]);
  });

  test('does not delete a request that was recreated under the same name', async () => {
    await using w = start();
    const requests = requestsOf(w.client);
    const remove = ResourceClient.prototype.delete;
    const spy = vi.spyOn(ResourceClient.prototype, 'delete').mockImplementationOnce(async function (
      this: ResourceClient<unknown, unknown>,
      ...args
    ) {
      await remove.call(requests, 'a');
      await ask(w.client, 'a');
      return remove.apply(this, args);
    });
    onTestFinished(() => spy.mockRestore());
    await ask(w.client, 'a');
    expect(await advance(w, DAY_MS + 1)).toEqual(['a']);
    expect(await advance(w, DAY_MS + 1)).toEqual([]);
  });

  test('retries with the next sweep if a delete fails', async () => {
    const errors: unknown[] = [];
    await using w = start({
      observability: {
        logger: { info: () => undefined, error: (_text, fields) => void errors.push(fields?.['error']) },
      },
    });
    const spy = vi.spyOn(ResourceClient.prototype, 'delete').mockRejectedValueOnce(new Error('down'));
    onTestFinished(() => spy.mockRestore());
    await ask(w.client, 'a');
    expect(await advance(w, DAY_MS + HOUR_MS)).toEqual(['a']);
    expect(await advance(w, HOUR_MS)).toEqual([]);
    expect(errors).toEqual([new Error('down')]);
  });

  test('waits for finalizers without repeated requests', async () => {
    await using w = start();
    const { metadata, spec } = await ask(w.client, 'b');
    await requestsOf(w.client).create({ metadata: { name: 'a', finalizers: ['example.com/hold'] }, spec });
    await requestsOf(w.client).delete(metadata.name ?? '');
    expect(await advance(w, DAY_MS + 1)).toEqual(['a']);
    const waiting = w.clock.pending;
    expect(await advance(w, DAY_MS)).toEqual(['a']);
    expect(w.clock.pending).toBeLessThanOrEqual(waiting);
  });
});

describe('the retention of a request', () => {
  const at = (ms: number): string => formatTime(ms);
  const object = (conditions: readonly (readonly [string, number | undefined])[], certificate?: string) => ({
    apiVersion: 'v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'a', creationTimestamp: at(0) },
    spec: { request: '', signerName: '' },
    status: {
      conditions: conditions.map(([type, ms]) => ({
        type,
        status: 'True',
        ...(ms === undefined ? {} : { lastUpdateTime: at(ms) }),
      })),
      ...(certificate === undefined ? {} : { certificate }),
    },
  });

  test.each<readonly [string, ReturnType<typeof object>, number]>([
    ['pending', object([]), DAY_MS],
    ['denied', object([['Denied', 1000]]), HOUR_MS + 1000],
    ['failed', object([['Failed', 1000]]), HOUR_MS + 1000],
    [
      'the first limit reached',
      object([
        ['Denied', 5000],
        ['Failed', 1000],
      ]),
      HOUR_MS + 1000,
    ],
    ['approved', object([['Approved', 1000]]), Infinity],
    ['a condition of another type', object([['Seen', 1000]]), Infinity],
    ['a condition without a time', object([['Denied', undefined]]), Infinity],
    ['a certificate that cannot be read', object([['Approved', 1000]], base64('none')), HOUR_MS + 1000],
    ['a certificate without an approval', object([['Seen', 1000]], base64('none')), Infinity],
  ])('%s', (_case, request, end) => {
    expect(retainedUntil(request)).toBe(end);
  });
});
