import { beforeEach, describe, expect, test } from 'vitest';
import { KeySpace, type KeyRange } from '../../../src/storage/etcd/key-space.js';
import { PageReader } from '../../../src/storage/etcd/page-reader.js';
import { ForeignValueError, Records } from '../../../src/storage/etcd/records.js';
import type { KeyValue, RangeRequest, RangeResponse } from '../../../src/storage/etcd/wire/key-values.js';

const PREFIX = '/registry/samples/';
const keys = new KeySpace('/registry');
const nameOf = (index: number): string => String(index).padStart(5, '0');
const valueOf = (text: string): Buffer => Buffer.from(`{"metadata":{"resourceVersion":"0"},"text":"${text}"}`);

/** The current state of an etcd, and the requests that it received. */
class State {
  readonly requests: RangeRequest[] = [];
  /** Keys of the values that were read one by one. */
  readonly singles: string[] = [];
  revision = 1;
  fails: Error | undefined;
  readonly #keyValues = new Map<string, KeyValue>();

  put(name: string, value: Buffer): void {
    this.revision += 1;
    const key = keys.encode(PREFIX + name);
    const createRevision = this.#keyValues.get(name)?.createRevision ?? this.revision;
    this.#keyValues.set(name, { key, value, createRevision, modRevision: this.revision, version: 1 });
  }

  async range(request: RangeRequest): Promise<RangeResponse> {
    this.requests.push(request);
    if (this.fails !== undefined && this.requests.length > 1) throw this.fails;
    return this.#answer(request);
  }

  async ranges(requests: readonly RangeRequest[]): Promise<readonly RangeResponse[]> {
    this.singles.push(...requests.map(({ key }) => keys.decode(key)));
    return requests.map((request) => this.#answer(request));
  }

  #answer({ key, rangeEnd, limit = 0, keysOnly = false }: RangeRequest): RangeResponse {
    const found = [...this.#keyValues.entries()]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, each]) => each)
      .filter((each) =>
        rangeEnd === undefined ? each.key.equals(key) : each.key.compare(key) >= 0 && each.key.compare(rangeEnd) < 0,
      );
    const part = limit > 0 ? found.slice(0, limit) : found;
    const keyValues = keysOnly ? part.map((each) => ({ ...each, value: Buffer.alloc(0) })) : part;
    return { header: { clusterId: 7n, revision: this.revision }, keyValues, count: found.length };
  }
}

describe('pages of ranges', () => {
  let state: State;
  let reader: PageReader;
  const everything = keys.range(PREFIX) as KeyRange;
  const list = async (limit = 0): Promise<(readonly [key: string, text: string, revision: number])[]> =>
    (await reader.read(everything, PREFIX, { limit })).records.map(({ key, text, modRevision }) => [
      key.slice(PREFIX.length),
      (JSON.parse(text) as { text: string }).text,
      modRevision,
    ]);
  beforeEach(() => {
    state = new State();
    reader = new PageReader(state, new Records(keys, 1_000_000));
  });
  const fill = (count: number): void => {
    for (let index = 0; index < count; index += 1) state.put(nameOf(index), valueOf(`text ${index}`));
  };

  test('are read without values once their versions are cached, and are the same', async () => {
    fill(3);
    const first = await list();
    await list();
    state.requests.length = 0;
    expect(await list()).toEqual(first);
    expect(state.requests.map(({ keysOnly }) => keysOnly)).toEqual([true]);
    expect(state.singles).toEqual([]);
  });

  test('contain the same record for the same version', async () => {
    fill(1);
    const [before] = (await reader.read(everything, PREFIX, {})).records;
    await list();
    const [after] = (await reader.read(everything, PREFIX, {})).records;
    expect(after).toBe(before);
  });

  test('have the new value of a version that is not cached, from the same revision', async () => {
    fill(20);
    await list();
    await list();
    state.put(nameOf(7), valueOf('changed'));
    const changed = await list();
    expect(changed[7]).toEqual([nameOf(7), 'changed', state.revision]);
    expect(changed).toHaveLength(20);
    expect(state.singles).toEqual([PREFIX + nameOf(7)]);
  });

  test('are read with values again once most versions are not cached', async () => {
    fill(150);
    await list();
    await list();
    for (let index = 0; index < 150; index += 1) state.put(nameOf(index), valueOf('changed'));
    expect((await list()).map(([, text]) => text)).toEqual(new Array(150).fill('changed'));
    expect(state.singles).toHaveLength(150);
    state.requests.length = 0;
    await list();
    expect(state.requests.map(({ keysOnly }) => keysOnly)).toEqual([false]);
  });

  test('take several requests at one revision, of which the next is sent before an answer is used', async () => {
    fill(1_200);
    expect((await list()).map(([name]) => name)).toEqual(Array.from({ length: 1_200 }, (_, index) => nameOf(index)));
    expect(state.requests.map(({ revision }) => revision)).toEqual([undefined, state.revision]);
    state.requests.length = 0;
    state.put(nameOf(3), Buffer.from('not of this program'));
    await expect(list()).rejects.toThrow(ForeignValueError);
    expect(state.requests).toHaveLength(2);
  });

  test('end with the error of any of their requests', async () => {
    fill(1_200);
    state.fails = new Error('gone');
    await expect(list()).rejects.toBe(state.fails);
  });

  test('have at most the wanted number of records, and tell exactly how many follow', async () => {
    fill(1_200);
    for (const limit of [1, 499, 500, 501, 700, 1_199, 1_200, 1_300]) {
      const page = await reader.read(everything, PREFIX, { limit });
      expect([page.records.length, page.remaining]).toEqual([Math.min(limit, 1_200), Math.max(0, 1_200 - limit)]);
    }
  });

  test('fail when etcd contradicts itself', async () => {
    fill(20);
    await list();
    await list();
    state.put(nameOf(7), valueOf('changed'));
    state.ranges = () => Promise.resolve([]);
    await expect(list()).rejects.toThrow('etcd returned 0 of 1 keys');
  });
});
