/** Short lists that are requested again are answered from kept bytes: nothing but the memory and the speed shows it. */
import { afterEach, describe, expect, test } from 'vitest';
import { ApiServer, ConfigMap } from '../../../src/entries/index.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { KeptEncodings } from '../../../src/server/kept/kept-encodings.js';
import type { KeptPages } from '../../../src/server/kept/kept-pages.js';
import { MemoryBudget } from '../../../src/storage/memory-budget.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import type { StorageRecord } from '../../../src/storage/storage.js';
import { ask, received, textOf } from '../ask.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PAGES = [
  [`${MAPS}?limit=50`, 'identity'],
  [MAPS, 'identity'],
  [`${MAPS}?labelSelector=half%3D1`, 'identity'],
  [`${MAPS}?labelSelector=half%3D0`, 'gzip'],
  [`${MAPS}?fieldSelector=metadata.name%21%3Dm010`, 'identity'],
  ['/api/v1/configmaps?limit=60', 'identity'],
] as const;

const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Two servers over one store: one keeps encodings, the other one makes each answer afresh. */
function pair() {
  const clock = createManualClock(Date.parse('2026-01-01T00:00:00Z'));
  const storage = createMemoryStorage({ clock });
  const [kept, fresh] = [8 << 20, 0].map((encodingBytes) => {
    const server = new ApiServer({
      ...{ storage, clock, limits: { encodingBytes } },
      authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
    });
    servers.push(server);
    return server;
  });
  if (kept === undefined || fresh === undefined) throw new Error('no servers');
  return { kept, fresh, maps: kept.client().resource(ConfigMap).namespace('default') };
}

const map = (index: number, text: string) => ({
  metadata: { name: `m${String(index).padStart(3, '0')}`, labels: { half: String(index % 2) } },
  data: { text, more: 'x'.repeat(4_000) },
});

/** The text of a list, with a continue token that does not differ from one request to the next. */
async function listed(server: ApiServer, target: string, encoding = 'identity'): Promise<string> {
  const answer = await received(await ask(server, 'GET', target, { headers: { 'accept-encoding': encoding } }));
  expect(answer.status).toBe(200);
  return textOf(answer).replace(/"continue":"[^"]*"/, '"continue":""');
}

/** The memory in which the items of a list are. */
async function memoryOf(server: ApiServer, target: string): Promise<ArrayBufferLike | undefined> {
  const { body } = await ask(server, 'GET', target);
  return typeof body === 'object' && 'chunks' in body ? body.chunks[1]?.buffer : undefined;
}

describe('a short list', () => {
  test('is the list that is made afresh, whatever was written in between', async () => {
    const { kept, fresh, maps } = pair();
    for (let index = 0; index < 120; index += 1) await maps.create(map(index, 'made'));
    const writes: (() => Promise<unknown>)[] = [
      async () => undefined,
      () => maps.update(map(0, 'first')),
      () => maps.update(map(49, 'last of a page')),
      () => maps.delete('m001'),
      () => maps.create({ ...map(1, 'again'), metadata: { name: 'm001', labels: { half: '0' } } }),
      () => maps.update({ ...map(20, 'without'), metadata: { name: 'm020' } }),
      () => maps.delete('m000'),
    ];
    for (const write of writes) {
      await write();
      await Promise.all([kept.settled(), fresh.settled()]);
      for (let times = 0; times < 3; times += 1)
        for (const [target, encoding] of PAGES)
          expect((await listed(kept, target, encoding)) === (await listed(fresh, target, encoding)), target).toBe(true);
    }
  });

  test('shares its bytes from the third request on, until one of its objects is written', async () => {
    const { kept, maps } = pair();
    for (let index = 0; index < 120; index += 1) await maps.create(map(index, 'made'));
    await kept.settled();
    const target = `${MAPS}?labelSelector=half%3D1`;
    const first = await memoryOf(kept, target);
    const second = await memoryOf(kept, target);
    expect(first).toBeUndefined();
    expect(second).toBeDefined();
    await maps.update(map(2, 'not selected'));
    expect(await memoryOf(kept, target)).toBe(second);
    // The head is of this answer, not of the one that made the bytes.
    const version = /"resourceVersion":"(\d+)"/;
    const before = version.exec(await listed(kept, target))?.[1];
    await maps.update(map(4, 'not selected'));
    expect(Number(version.exec(await listed(kept, target))?.[1])).toBeGreaterThan(Number(before));
    await maps.update(map(3, 'selected'));
    expect(await memoryOf(kept, target)).toBeUndefined();
    expect(await memoryOf(kept, target)).not.toBe(second);
    expect(await listed(kept, target)).toContain('"selected"');
  });
});

describe('the kept pages', () => {
  const record = (key: string, modRevision: number): StorageRecord => ({
    ...{ key, text: '{}', modRevision, createRevision: 1, decoded: undefined },
  });
  const records = (start: string, count = 20): StorageRecord[] =>
    Array.from({ length: count }, (_, index) => record(`/r/${start}${String(index).padStart(4, '0')}`, index + 1));

  function world(limitBytes = 1 << 20) {
    const budget = new MemoryBudget();
    const encodings = new KeptEncodings(limitBytes, budget, createManualClock());
    return { budget, encodings, pages: encodings.form({}, '').pages };
  }

  /** Requests a list of as many bytes. Returns whether its items were kept. */
  function request(pages: KeptPages, list: readonly StorageRecord[], bytes = 10_000): boolean {
    if (pages.find(list) !== undefined) return true;
    if (pages.isWorth(list, bytes)) pages.keep(list, [new Uint8Array(bytes)], bytes);
    return false;
  }

  test('are those that were requested twice, and are no longer found when a record is another one', () => {
    const { encodings, pages } = world();
    const list = records('a');
    expect([1, 2, 3].map(() => request(pages, list))).toEqual([false, false, true]);
    const replaced = list.with(10, record('/r/a0010', 99));
    expect(request(pages, replaced)).toBe(false);
    expect(encodings.usedBytes).toBe(0);
    // Equal in all that is compared to remember it, but another record.
    expect([1, 2].map(() => request(pages, replaced))).toEqual([false, true]);
    expect(pages.find(replaced.with(10, record('/r/a0010', 99)))).toBeUndefined();
    expect(pages.find(list.slice(0, 19))).toBeUndefined();
  });

  test('are several that begin with one object', () => {
    const { pages } = world();
    const list = records('a');
    const lists = [list, list.slice(0, 17), list.slice(0, 18)];
    for (let times = 0; times < 2; times += 1) for (const one of lists) request(pages, one);
    expect(lists.map((one) => request(pages, one))).toEqual([true, true, true]);
  });

  test('stay within the limit, are counted in the budget, and are dropped when the memory is needed', () => {
    const { budget, encodings, pages } = world(100_000);
    for (let start = 0; start < 40; start += 1)
      for (let times = 0; times < 3; times += 1) {
        request(pages, records(`${start}-`));
        expect(encodings.usedBytes).toBeLessThanOrEqual(100_000);
        expect(budget.usedFor('encodings')).toBe(encodings.usedBytes);
      }
    const list = records('z');
    for (let times = 0; times < 80; times += 1) request(pages, list);
    const page = pages.find(list);
    expect(page).toBeDefined();
    const [chunk = new Uint8Array(0)] = page?.chunks ?? [];
    const before = encodings.usedBytes;
    page?.compressed.keep(chunk, new Uint8Array(50));
    expect(encodings.usedBytes).toBe(before + 50);
    expect(page?.compressed.find(chunk)?.length).toBe(50);
    encodings.shrink(Infinity);
    expect([encodings.usedBytes, budget.usedFor('encodings'), encodings.size]).toEqual([0, 0, 0]);
    expect(pages.find(list)).toBeUndefined();
    page?.compressed.keep(chunk, new Uint8Array(50));
    expect(encodings.usedBytes).toBe(0);
  });

  test('are not made when nothing may be kept', () => {
    const { encodings, pages } = world(0);
    const list = records('a');
    request(pages, list);
    expect(pages.isWorth(list, 10)).toBe(false);
    expect(encodings.size).toBe(0);
  });

  test('are forgotten, with their memory, when many other lists were requested', () => {
    const { encodings, pages } = world(64 << 20);
    const list = records('a');
    for (let times = 0; times < 3; times += 1) request(pages, list);
    for (let start = 0; start < 1_000; start += 1) request(pages, records(`${start}-`));
    expect(pages.find(list)).toBeUndefined();
    expect(encodings.usedBytes).toBe(0);
  });
});
