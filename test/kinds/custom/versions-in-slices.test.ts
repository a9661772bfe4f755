/** The preparations for reading a record of another version are done in slices, whoever reads it first. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { customKinds } from '../../../src/kinds/custom/kinds.js';
import { noConversion } from '../../../src/kinds/custom/versions.js';
import { kubernetes, SharedWork } from '../../../src/foundation/index.js';
import { CompiledArtefacts } from '../../../src/foundation/work/compiled-artefacts.js';
import { createRegistry } from '../../registry/registry.js';
import type { ResourceStore } from '../../../src/registry/store/store.js';

const FIELDS = 5000;
/** Pauses of work that no request pays for. */
let pauses = 0;

beforeEach(() => {
  pauses = 0;
  vi.spyOn(SharedWork.prototype, 'next').mockImplementation(() => Promise.resolve(void (pauses += 1)));
});
afterEach(() => void vi.restoreAllMocks());

const artefacts = (maxBytes = Infinity): CompiledArtefacts =>
  new CompiledArtefacts(maxBytes, () => ({ hold: () => undefined }));

function version(name: string, storage: boolean, fields: number) {
  const properties = Object.fromEntries(Array.from({ length: fields }, (_, i) => [`f${i}`, { type: 'string' }]));
  const spec = { type: 'object', properties } as const;
  return {
    ...{ name, served: true, storage },
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
  } as const;
}

interface Opened {
  readonly v1: ResourceStore;
  readonly v2: ResourceStore;
  /** Stores an object of v1, as another server does. */
  readonly put: (name: string, spec?: object) => Promise<unknown>;
}

/** Opens the stores of a kind with two versions that have a number of fields. */
function opened(fields: number, compiled = artefacts()): Opened {
  const [first, second] = customKinds(
    {
      group: 'example.com',
      names: { plural: 'things', kind: 'Thing' },
      scope: 'Namespaced',
      versions: [version('v1', true, fields), version('v2', false, fields)],
    },
    kubernetes,
    noConversion,
    { compiled },
  );
  if (first === undefined || second === undefined) throw new Error('no kinds');
  const registry = createRegistry();
  const [v1, v2] = [registry.store(first), registry.store(second)];
  return {
    v1,
    v2,
    put: (name, spec = { f0: 'a' }) =>
      registry.storage.create(v1.info.key('default', name), (revision) =>
        JSON.stringify({
          ...{ kind: 'Thing', apiVersion: 'example.com/v1' },
          metadata: { name, namespace: 'default', uid: name, resourceVersion: String(revision) },
          spec,
        }),
      ),
  };
}

/** Pauses while something is done. */
async function pausesDuring(run: () => Promise<unknown>): Promise<number> {
  pauses = 0;
  await run();
  return pauses;
}

describe('large schemas that no request waits for are compiled in slices', () => {
  test('for an object that is read', async () => {
    const { v2, put } = opened(FIELDS);
    await put('a');
    const read = async () => expect(v2.text(await v2.get('default', 'a'))).toContain('"apiVersion":"example.com/v2"');
    expect(await pausesDuring(read)).toBeGreaterThan(500);
    expect(await pausesDuring(read)).toBe(0);
  });

  test('for a list', async () => {
    const { v2, put } = opened(FIELDS);
    await put('a');
    await put('b');
    const list = async () => {
      const { records } = await v2.list('default');
      expect(records.map((record) => v2.read(record).apiVersion)).toEqual(['example.com/v2', 'example.com/v2']);
    };
    expect(await pausesDuring(list)).toBeGreaterThan(500);
    expect(await pausesDuring(list)).toBe(0);
  });

  test('for an event of a watch, and again after they were given up', async () => {
    // There is room for the schemas of one version.
    const { v1, v2, put } = opened(FIELDS, artefacts(FIELDS * 600 + 10_000));
    const watch = await v2.watch('default', {});
    const received = async (name: string) => {
      await put(name);
      const { value: notice } = await watch.next();
      expect(notice).toMatchObject({ type: 'ADDED' });
      if (notice?.type === 'ADDED') expect(v2.read(notice.record)).toMatchObject({ apiVersion: 'example.com/v2' });
    };
    expect(await pausesDuring(() => received('a'))).toBeGreaterThan(500);
    await v1.get('default', 'a');
    expect(await pausesDuring(() => received('b'))).toBeGreaterThan(250);
    await watch.return?.();
  });

  test('for a write of another version', async () => {
    const { v2 } = opened(FIELDS);
    const object = { kind: 'Thing', apiVersion: 'example.com/v2', metadata: { name: 'a', namespace: 'default' } };
    const work = new SharedWork();
    const write = () => v2.writes.insert(v2.info.key('default', 'a'), object, { work });
    expect(await pausesDuring(write)).toBeGreaterThan(500);
  });

  test('and the objects are read in slices, too', async () => {
    const { v1, v2, put } = opened(3);
    const spec = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`unknown${index}`, 'a']));
    await put('large', { ...spec, f0: 'a' });
    await put('small');
    for (const store of [v1, v2]) {
      await store.get('default', 'small');
      const read = async () =>
        expect(store.read(await store.get('default', 'large'))).toMatchObject({ spec: { f0: 'a' } });
      expect(await pausesDuring(read)).toBeGreaterThan(50);
    }
  });
});
