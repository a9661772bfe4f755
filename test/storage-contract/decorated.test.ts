import { describe, expect, it, vi } from 'vitest';
import { decorateStorage, withDecorators, type Storage, type StorageDecorator } from '../../src/entries/storage.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { storageContract } from '../../src/testing/storage-contract/index.js';
import { ManualClock } from '../storage/manual-clock.js';
import { freezingStorage } from '../support/freezing-storage.js';
import { FailingStorage } from '../support/failing-storage.js';

const passThrough: StorageDecorator = (inner) => decorateStorage(inner, {});

describe.each<[string, StorageDecorator]>([
  ['a decorator that replaces nothing', passThrough],
  ['a decorator that freezes what it reads', (inner) => withDecorators(inner, [freezingStorage, passThrough])],
  ['a decorator that may fail, and does not', (inner) => new FailingStorage(inner).storage],
])('storage contract: memory below %s', (_, decorate) => {
  const cases = storageContract({
    async create() {
      const clock = new ManualClock();
      const storage = decorate(createMemoryStorage({ clock }));
      return { storage, advance: async (ms) => clock.advance(ms), close: () => storage.close() };
    },
  });
  for (const contractCase of cases) it(contractCase.name, () => contractCase.run());
});

describe('a decorated storage', () => {
  const engine = (): Storage => createMemoryStorage({ clock: new ManualClock() });

  it('has every member that the engine has, and no other', async () => {
    const full: Storage = {
      ...decorateStorage(engine(), {}),
      healthChecks: { name: 'full' },
      pingWrites: () => Promise.resolve(),
    };
    expect(decorateStorage(full, {}).healthChecks).toBe(full.healthChecks);
    expect(Object.keys(decorateStorage(full, {})).sort()).toEqual(Object.keys(full).sort());
    const { index, shareBudget, healthChecks, pingWrites, ...required } = full;
    expect([index, shareBudget, healthChecks, pingWrites]).not.toContain(undefined);
    expect(Object.keys(decorateStorage(required, {})).sort()).toEqual(Object.keys(required).sort());
  });

  it('calls the replacement, and the engine for everything else', async () => {
    const inner = engine();
    const close = vi.spyOn(inner, 'close');
    const storage = decorateStorage(inner, { close: () => Promise.resolve() });
    await storage.create('/registry/samples/a', () => '{}');
    await storage.close();
    expect(close).not.toHaveBeenCalled();
    expect((await inner.get('/registry/samples/a')).record?.text).toBe('{}');
  });

  it('lacks an optional member that is replaced by nothing', () => {
    expect('index' in decorateStorage(engine(), { index: undefined })).toBe(false);
  });

  it('calls its decorators from the outermost to the innermost', async () => {
    const order: string[] = [];
    const named =
      (name: string): StorageDecorator =>
      (inner) =>
        decorateStorage(inner, {
          ping: () => {
            order.push(name);
            return inner.ping();
          },
        });
    await withDecorators(engine(), [named('inner'), named('outer')]).ping();
    expect(order).toEqual(['outer', 'inner']);
  });

  it('is the engine itself without decorators', () => {
    const inner = engine();
    expect(withDecorators(inner, [])).toBe(inner);
  });
});
