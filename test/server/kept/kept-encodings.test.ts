/** Lists that are requested again are answered from kept encodings, and nothing but the speed shows it. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { ApiServer, ConfigMap, defineResource } from '../../../src/entries/index.js';
import { encodeJson, partialObjectMetadataList, tableOfList } from '../../../src/server/codec/index.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { orch } from '../../../src/foundation/index.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { EncodedRun } from '../../../src/server/kept/encoded-run.js';
import { KeptEncodings } from '../../../src/server/kept/kept-encodings.js';
import type { KeptForm } from '../../../src/server/kept/kept-form.js';
import { MemoryBudget } from '../../../src/storage/memory-budget.js';
import type { StorageRecord } from '../../../src/storage/storage.js';
import { specOf, startWorld, version } from '../../kinds/custom/world.js';
import { ask, jsonOf, received, textOf } from '../ask.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const META = `g=meta.${orch.groupSuffix};v=v1`;
const MAPS = '/api/v1/namespaces/default/configmaps';
const TABLE = `application/json;as=Table;${META}`;
const METADATA = `application/json;as=PartialObjectMetadataList;${META}`;

/** A kind with a cell that changes with the time. `asked` counts the objects whose cells were asked for. */
const Widget = defineResource({
  group: 'shop.example',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  schema: () => z.object({ size: z.string().optional() }),
  columns: [
    { name: 'Name', type: 'string', format: 'name', cell: ({ metadata }) => metadata.name ?? '' },
    { name: 'Age', type: 'integer', cell: () => ((asked += 1), (nowMs) => nowMs - START) },
  ],
});
let asked = 0;
const WIDGETS = '/apis/shop.example/v1/namespaces/default/widgets';

/** A version of a custom kind with a column for one of its two fields. */
const shows = (field: string) =>
  version('v1', specOf({ a: { type: 'string' }, b: { type: 'string' } }), {
    additionalPrinterColumns: [{ name: field, type: 'string', jsonPath: `.spec.${field}` }],
  });

const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Two servers over one store: one keeps encodings, the other one makes each answer afresh. */
function pair(encodingBytes = 8 << 20) {
  const clock = createManualClock(START);
  const storage = createMemoryStorage({ clock });
  const serverWith = (bytes: number): ApiServer => {
    const server = new ApiServer({
      storage,
      clock,
      resources: [Widget],
      limits: { encodingBytes: bytes },
      authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
    });
    servers.push(server);
    return server;
  };
  const kept = serverWith(encodingBytes);
  const fresh = serverWith(0);
  /** Waits until neither server has work of its own left that writes. */
  const settled = async (): Promise<void> => {
    for (const server of [kept, fresh, kept, fresh]) await server.settled();
  };
  return { clock, kept, fresh, settled, maps: kept.client().resource(ConfigMap).namespace('default') };
}

async function bodyOf(server: ApiServer, target: string, accept: string, encoding = 'identity'): Promise<string> {
  const answer = await received(await ask(server, 'GET', target, { headers: { accept, 'accept-encoding': encoding } }));
  expect(answer.status).toBe(200);
  const { body } = answer;
  const bytes = typeof body === 'object' && 'chunks' in body ? Buffer.concat(body.chunks) : body;
  const text =
    accept.includes('protobuf') && bytes instanceof Uint8Array ? Buffer.from(bytes).toString('latin1') : textOf(answer);
  // A continue token is encrypted again each time.
  return text.replace(/"continue":"[^"]*"/, '"continue":""');
}

/** A seeded generator of numbers below a limit. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const FORMS: readonly (readonly [target: string, accept: string, encoding?: string])[] = [
  [MAPS, 'application/json'],
  [MAPS, 'application/json', 'gzip'],
  [`${MAPS}?limit=300`, 'application/json', 'gzip'],
  [`${MAPS}?limit=300`, 'application/json'],
  ['/api/v1/configmaps', 'application/json'],
  [`${MAPS}?pretty=true`, 'application/json'],
  [MAPS, TABLE],
  [`${MAPS}?includeObject=Object`, TABLE],
  [`${MAPS}?includeObject=None`, TABLE],
  [`${MAPS}?pretty=true`, TABLE],
  [MAPS, `application/yaml;as=Table;${META}`],
  [MAPS, `application/json;as=PartialObjectMetadataList;${META}`],
  [MAPS, `application/yaml;as=PartialObjectMetadataList;${META}`],
  [MAPS, `application/vnd.orch.protobuf;as=PartialObjectMetadataList;${META}`],
  [MAPS, 'application/yaml'],
  [MAPS, 'application/vnd.orch.protobuf'],
];

describe('a list that is requested again', () => {
  test('is compressed once, but for what was written', async () => {
    const { kept, fresh, maps, settled } = pair(64 << 20);
    const text = 'x'.repeat(1000);
    for (let index = 0; index < 2_000; index += 1)
      await maps.create({ metadata: { name: `m${index}` }, data: { text } });
    await settled();
    const deflateRaw = vi.spyOn(process.getBuiltinModule('node:zlib'), 'deflateRaw');
    const compressed = async (server: ApiServer): Promise<string> =>
      textOf(await received(await ask(server, 'GET', MAPS, { headers: { 'accept-encoding': 'gzip' } })));
    const calls = async (): Promise<number> => {
      deflateRaw.mockClear();
      const list = await compressed(kept);
      const { length } = deflateRaw.mock.calls;
      expect(list === (await compressed(fresh))).toBe(true);
      return length;
    };
    try {
      const [, again, third] = [await calls(), await calls(), await calls()];
      expect(again).toBeGreaterThan(6);
      // The head, the last items, which no comma follows, and the tail.
      expect(third).toBe(3);
      await maps.update({ metadata: { name: 'm0' }, data: { text: 'changed' } });
      // At most the run of the object, the rest of it, and the run that follows.
      expect(await calls()).toBeLessThanOrEqual(6);
    } finally {
      deflateRaw.mockRestore();
    }
  });

  test.each([1, 2])('is the list that is made afresh, whatever was written in between (seed %i)', async (seed) => {
    const { clock, kept, fresh, maps, settled } = pair();
    const next = numbers(seed);
    const notes = ['plain', 'größer', 'a "quoted" \\u0041', '\u2028 and \u0001', '{"metadata":{}}'];
    const object = (index: number) => ({
      metadata: {
        name: `m${String(index).padStart(3, '0')}`,
        annotations: { 12: 'x', note: notes[next(notes.length)] ?? '' },
      },
      data: { text: notes[next(notes.length)] ?? '' },
    });
    const present = new Set<number>();
    const write = async (index: number): Promise<void> => {
      if (!present.has(index)) await maps.create(object(index));
      else if (next(3) > 0) await maps.update(object(index));
      else {
        await maps.delete(object(index).metadata.name);
        present.delete(index);
        return;
      }
      present.add(index);
    };
    for (let index = 0; index < 400; index += 1) await write(index);
    for (let round = 0; round < 5; round += 1) {
      await settled();
      for (const [target, ...form] of FORMS) {
        const isSame = (await bodyOf(kept, target, ...form)) === (await bodyOf(fresh, target, ...form));
        expect(isSame, `${target} as ${form.join()}`).toBe(true);
      }
      for (let writes = next(20); writes > 0; writes -= 1) await write(next(420));
      await clock.advance(next(100_000));
    }
  });

  test('is kept as runs of JSON when it is compressed, or very long; as a page otherwise', async () => {
    const { kept, maps, settled } = pair(64 << 20);
    const held = async (): Promise<number> =>
      Number(/use="encodings"\} (\S+)/.exec(textOf(await ask(kept, 'GET', '/metrics')))?.[1]);
    const heldAfter = async (encoding: string): Promise<number> => {
      for (let times = 0; times < 3; times += 1) await bodyOf(kept, MAPS, 'application/json', encoding);
      return held();
    };
    for (let index = 0; index < 300; index += 1) await maps.create({ metadata: { name: `m${index}` } });
    await settled();
    const page = await heldAfter('identity');
    const compressed = (await heldAfter('gzip')) - page;
    expect(Math.min(page, compressed)).toBeGreaterThan(0);
    for (let index = 300; index < 4_100; index += 1) await maps.create({ metadata: { name: `m${index}` } });
    await settled();
    expect(await heldAfter('identity')).toBeGreaterThan(5 * compressed);
  });

  test('is a Table and metadata of its objects', async () => {
    const { kept, maps, clock, settled } = pair();
    for (const note of ['plain', 'größer'])
      await maps.create({ metadata: { name: note.slice(0, 2).replace('ö', 'o'), annotations: { note } } });
    for (let request = 0; request < 3; request += 1) {
      await clock.advance(61_000);
      await settled();
      const list = jsonOf(await ask(kept, 'GET', MAPS));
      const { columns } = ConfigMap;
      const options = { dialect: orch, version: 'v1', includeObject: 'Metadata', nowMs: clock.now() } as const;
      expect(JSON.parse(await bodyOf(kept, MAPS, TABLE))).toEqual(
        JSON.parse(encodeJson(tableOfList(typed(list), { ...options, columns: columns ?? [] }))),
      );
      expect(JSON.parse(await bodyOf(kept, MAPS, METADATA))).toEqual(
        partialObjectMetadataList(typed(list), orch, 'v1'),
      );
    }
  });

  test('has ages that advance with the clock', async () => {
    const { kept, maps, clock } = pair();
    await maps.create({ metadata: { name: 'old' } });
    const ages: unknown[] = [];
    for (const seconds of [5, 60, 3_600, 90_000]) {
      await clock.advance(seconds * 1_000);
      ages.push(await cellsOf(kept, MAPS));
    }
    expect(ages).toEqual([[['old', 0, '5s']], [['old', 0, '65s']], [['old', 0, '61m']], [['old', 0, '26h']]]);
  });

  test('asks the function of a column once for an object, and its cell for each time', async () => {
    const { clock, kept } = pair();
    await kept
      .client()
      .resource(Widget)
      .namespace('default')
      .create({ metadata: { name: 'w' } });
    const answers: unknown[] = [];
    asked = 0;
    for (let request = 0; request < 4; request += 1) {
      answers.push(await cellsOf(kept, WIDGETS));
      await clock.advance(7);
    }
    expect(answers).toEqual([[['w', 0]], [['w', 7]], [['w', 14]], [['w', 21]]]);
    // Nothing is kept at the first request.
    expect(asked).toBe(2);
  });
});

test('rows follow a change of the columns of a custom kind', async () => {
  await using world = await startWorld({});
  await world.define({ versions: [shows('a')] });
  await world
    .kind()
    .namespace('default')
    .create({ metadata: { name: 'w' }, spec: { a: '1', b: '2' } });
  const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
  const rows = async (): Promise<unknown> => {
    const table = await world.http('/apis/example.com/v1/namespaces/default/widgets', { accept });
    return (table as { rows: { cells: unknown }[] }).rows.map(({ cells }) => cells);
  };
  for (let request = 0; request < 3; request += 1) expect(await rows()).toEqual([['w', '1']]);
  await world.change('widgets.example.com', (spec) => {
    spec.versions = [shows('b')];
  });
  for (let request = 0; request < 3; request += 1) expect(await rows()).toEqual([['w', '2']]);
});

describe('the kept encodings', () => {
  const record = (revision: number): StorageRecord => ({
    ...{ key: `/r/${revision}`, text: '{}', modRevision: revision, createRevision: revision, decoded: undefined },
  });
  const records = Array.from({ length: 1_000 }, (_, index) => record(index + 1));
  const part = 'x'.repeat(1_000);
  const owner = {};

  /** Requests all records and keeps what is missing. Returns the number of hits. */
  function request(form: KeptForm, all: readonly StorageRecord[]): number {
    form.countRequest();
    let hits = 0;
    for (const one of all) {
      if (form.find(one) !== undefined) hits += 1;
      else form.keep(one, part);
    }
    return hits;
  }

  test('keep nothing of a form that is requested once', () => {
    const encodings = new KeptEncodings(1 << 20, new MemoryBudget(), createManualClock());
    expect(request(encodings.form(owner, 'a'), records)).toBe(0);
    expect(encodings.size).toBe(0);
  });

  test('stay within their limit, and a scan of more than the limit still finds most of what is kept', () => {
    const encodings = new KeptEncodings(500_000, new MemoryBudget(), createManualClock());
    const form = encodings.form(owner, 'b');
    request(form, records);
    const hits = Array.from({ length: 12 }, () => {
      const found = request(form, records);
      expect(encodings.usedBytes).toBeLessThanOrEqual(encodings.limitBytes);
      return found;
    });
    const fitting = encodings.size;
    expect(fitting).toBeGreaterThan(400);
    expect(Math.min(...hits.slice(1))).toBeGreaterThan(0.8 * fitting);
  });

  test('make room for another form when the first is not requested any more', () => {
    const encodings = new KeptEncodings(500_000, new MemoryBudget(), createManualClock());
    const [first, second] = [encodings.form(owner, 'c'), encodings.form(owner, 'd')];
    for (let count = 0; count < 3; count += 1) request(first, records);
    for (let count = 0; count < 40; count += 1) request(second, records);
    expect(request(second, records)).toBeGreaterThan(300);
  });

  test('are dropped when the memory is needed otherwise, runs first', () => {
    const budget = new MemoryBudget();
    const encodings = new KeptEncodings(1 << 20, budget, createManualClock());
    const [items, runs] = [encodings.form(owner, 'e'), encodings.form(owner, 'f')];
    for (let count = 0; count < 2; count += 1) request(items, records.slice(0, 100));
    for (let count = 0; count < 2; count += 1) runs.countRequest();
    const [first = record(1), second = record(2)] = records;
    const run = new EncodedRun(new Uint8Array(20_000), Uint32Array.of(10_000, 20_000));
    runs.keepRun('runs', [first, second], run);
    expect(runs.place(second)).toEqual({ run, index: 1 });
    const before = budget.usedFor('encodings');
    encodings.shrink(1);
    expect(before - budget.usedFor('encodings')).toBeGreaterThan(20_000);
    expect([runs.place(first), runs.place(second), run.bytes.length]).toEqual([undefined, undefined, 0]);
    expect(request(items, records.slice(0, 100))).toBe(100);
    encodings.shrink(Infinity);
    expect([encodings.usedBytes, budget.usedFor('encodings'), encodings.size]).toEqual([0, 0, 0]);
  });

  test('are released when nothing was requested for a minute, unless there is little', async () => {
    const clock = createManualClock();
    const encodings = new KeptEncodings(64 << 20, new MemoryBudget(), clock);
    const form = (): KeptForm => encodings.form(owner, 'h');
    const long = { ...record(6_000), encodings: undefined };
    const keepLong = (): void => form().keep(long, 'y'.repeat(2 << 20));
    for (let count = 0; count < 2; count += 1) request(form(), records.slice(0, 300));
    // Little memory is worth no timer.
    expect([encodings.size, clock.pending]).toEqual([300, 0]);
    keepLong();
    for (let requests = 0; requests < 5; requests += 1) {
      await clock.advance(25_000);
      expect(request(form(), records.slice(0, 300))).toBe(300);
    }
    await clock.advance(60_000);
    expect([encodings.size, encodings.usedBytes, clock.pending]).toEqual([0, 0, 0]);
    // They are kept again when they are requested again.
    request(form(), records.slice(0, 300));
    expect(request(form(), records.slice(0, 300))).toBe(300);
    keepLong();
    encodings.close();
    expect(clock.pending).toBe(0);
  });

  test('refuse what is larger than all of them, and drop nothing for it', () => {
    const encodings = new KeptEncodings(100_000, new MemoryBudget(), createManualClock());
    const form = encodings.form(owner, 'g');
    for (let count = 0; count < 2; count += 1) request(form, records.slice(0, 50));
    form.keep(record(5_000), 'y'.repeat(200_000));
    expect(encodings.size).toBe(50);
  });
});

/** The cells of the rows of a Table. */
async function cellsOf(server: ApiServer, target: string): Promise<unknown> {
  const { rows } = JSON.parse(await bodyOf(server, target, TABLE)) as { rows: { cells: unknown }[] };
  return rows.map(({ cells }) => cells);
}

/** The list that the items of built-in kinds belong to, as the codec takes it. */
const typed = (list: ReturnType<typeof jsonOf>): JsonObject => list as JsonObject;
