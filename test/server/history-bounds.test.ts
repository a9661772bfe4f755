/**
 * A server keeps a bounded history on every engine: a client that falls behind gets an error, and can continue with a
 * new list and watch.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ApiServer, ConfigMap, defineResource, Lease } from '../../src/entries/index.js';
import type { MemoryBudget, Storage } from '../../src/entries/storage.js';
import { createManualClock } from '../../src/entries/testing.js';
import { EngineHome, engines, enginesHere } from '../conformance/engines.js';
import { ask, jsonOf, streamOf } from './ask.js';

const KIB = 1024;
const MAPS = '/api/v1/namespaces/default/configmaps';

/** A kind stored in another version than the one served: both forms count as history. */
const WidgetV1 = defineResource({
  group: 'shop.example',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  schema: () => z.object({ size: z.string().optional() }),
});
const WidgetV2 = defineResource({
  group: 'shop.example',
  version: 'v2',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  schema: () => z.object({ width: z.string().optional() }),
  conversion: {
    hub: WidgetV1,
    toHub: ({ width, ...rest }) => ({ ...rest, size: width }) as never,
    fromHub: ({ size, ...rest }) => ({ ...rest, width: size }) as never,
  },
});

interface Bounded {
  readonly server: ApiServer;
  readonly budget: MemoryBudget;
}

/** A server with a limit on the bytes of its history, and the budget that its storage received. */
function bounded(storage: Storage, historyBytes: number): Bounded {
  const given: MemoryBudget[] = [];
  const share = storage.shareBudget?.bind(storage);
  storage.shareBudget = (budget) => {
    given.push(budget);
    share?.(budget);
  };
  const server = new ApiServer({
    storage,
    resources: [WidgetV1, WidgetV2],
    limits: { historyBytes },
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  const [budget] = given;
  if (budget === undefined) throw new Error('the storage was given no budget');
  return { server, budget };
}

const decoder = new TextDecoder();

/** The next event of a stream, parsed from JSON. */
async function nextOf(
  stream: AsyncIterator<Uint8Array>,
): Promise<{ type: string; object: { code?: number; reason?: string; metadata: { name: string } } } | undefined> {
  const { done, value } = await stream.next();
  return done === true ? undefined : JSON.parse(decoder.decode(value));
}

for (const engine of engines) {
  describe.skipIf(!enginesHere.includes(engine))(`the history on the engine ${engine}`, () => {
    let home: EngineHome;
    beforeAll(async () => {
      home = await EngineHome.make(engine);
    });
    afterAll(() => home.remove());

    test.each([
      ['small', KIB, 1200],
      ['large', 1000 * KIB, 25],
    ])(
      'stays within the limit during updates of %s objects, whatever is watched',
      { timeout: 300_000 },
      async (_size, bytes, updates) => {
        const limit = Math.max(512 * KIB, 12 * bytes);
        const { server, budget } = bounded(await home.open(createManualClock()), limit);
        await using _closing = server;
        const maps = server.client().resource(ConfigMap).namespace('default');
        const data = { value: 'x'.repeat(bytes) };
        for (const name of ['a', 'b', 'c', 'd']) await maps.create({ metadata: { name }, data });
        const {
          metadata: { resourceVersion: first = '' },
        } = await maps.list();

        // One watcher that reads everything, in two forms; one that reads a single event; one of a single object.
        const reading = streamOf(await ask(server, 'GET', `${MAPS}?watch=1&resourceVersion=${first}`));
        const tabular = streamOf(
          await ask(server, 'GET', `${MAPS}?watch=1&resourceVersion=${first}`, {
            headers: { accept: 'application/json;as=Table;v=v1;g=meta.orch.io' },
          }),
        );
        const idle = streamOf(await ask(server, 'GET', `${MAPS}?watch=1&resourceVersion=${first}`));
        const idleOne = streamOf(
          await ask(server, 'GET', `${MAPS}?watch=1&resourceVersion=${first}&fieldSelector=metadata.name%3Da`),
        );

        let most = 0;
        for (let turn = 0; turn < updates; turn += 1) {
          await maps.update({ metadata: { name: 'abcd'.charAt(turn % 4) }, data: { ...data, turn: String(turn) } });
          expect((await nextOf(reading))?.type).toBe('MODIFIED');
          expect((await nextOf(tabular))?.type).toBe('MODIFIED');
          if (turn === 0) for (const stream of [idle, idleOne]) expect((await nextOf(stream))?.type).toBe('MODIFIED');
          most = Math.max(most, budget.keptBytes);
        }
        expect(most).toBeLessThanOrEqual(limit);
        // The updates exceed the limit.
        expect(most).toBeGreaterThan(limit / 2);

        // A watcher that fell behind gets an error, on every running watch and on every request for a past version.
        for (const stream of [idle, idleOne])
          expect(await nextOf(stream)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
        const late = streamOf(await ask(server, 'GET', `${MAPS}?watch=1&resourceVersion=${first}`));
        expect(await nextOf(late)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
        if (engine !== 'etcd')
          expect(
            jsonOf(await ask(server, 'GET', `${MAPS}?resourceVersion=${first}&resourceVersionMatch=Exact`)),
          ).toMatchObject({ code: 410, reason: 'Expired' });

        // A list, and a watch from its version, continue.
        const list = jsonOf(await ask(server, 'GET', MAPS)) as {
          items: unknown[];
          metadata: { resourceVersion: string };
        };
        expect(list.items).toHaveLength(4);
        const again = streamOf(
          await ask(server, 'GET', `${MAPS}?watch=1&resourceVersion=${list.metadata.resourceVersion}`),
        );
        await maps.update({ metadata: { name: 'b' }, data: { turn: 'last' } });
        expect(await nextOf(again)).toMatchObject({ type: 'MODIFIED', object: { metadata: { name: 'b' } } });
        for (const stream of [reading, tabular, again]) await stream.return?.();
      },
    );

    test(
      'has one limit for all kinds, and a busy kind takes the share of a quiet one',
      { timeout: 300_000 },
      async () => {
        const limit = 512 * KIB;
        const { server, budget } = bounded(await home.open(createManualClock()), limit);
        await using _closing = server;
        const client = server.client();
        const [maps, leases, widgets] = [
          client.resource(ConfigMap).namespace('default'),
          client.resource(Lease).namespace('default'),
          client.resource(WidgetV2).namespace('default'),
        ];
        const value = 'x'.repeat(2 * KIB);
        await leases.create({ metadata: { name: 'quiet', annotations: { value } } });
        const {
          metadata: { resourceVersion = '' },
        } = await leases.list();
        const quiet = leases.watch({ resourceVersion });
        await maps.create({ metadata: { name: 'a' } });
        await widgets.create({ metadata: { name: 'a' } });
        const converted = streamOf(
          await ask(server, 'GET', '/apis/shop.example/v2/namespaces/default/widgets?watch=1&resourceVersion=1'),
        );
        await leases.patch('quiet', { metadata: { annotations: { seen: 'yes' } } });
        expect((await quiet.next()).value).toMatchObject({ type: 'MODIFIED' });
        await nextOf(converted);

        for (let turn = 0; turn < 300; turn += 1) {
          await maps.update({ metadata: { name: 'a' }, data: { value, turn: String(turn) } });
          await widgets.patch('a', { width: `${value}${turn}` });
          expect((await nextOf(converted))?.type).toBe('MODIFIED');
          expect(budget.keptBytes).toBeLessThanOrEqual(limit);
        }
        // The quiet kind's watcher has missed nothing, and continues.
        await leases.patch('quiet', { metadata: { annotations: { seen: 'again' } } });
        expect((await quiet.next()).value).toMatchObject({
          type: 'MODIFIED',
          object: { metadata: { annotations: { seen: 'again' } } },
        });
        const late = leases.watch({ resourceVersion });
        expect((await late.next()).value).toMatchObject({ type: 'ERROR', object: { code: 410 } });
        await quiet.return(undefined);
        await converted.return?.();
      },
    );
  });
}
