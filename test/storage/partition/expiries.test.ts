import { expect, it } from 'vitest';
import { decorateStorage } from '../../../src/entries/storage.js';
import { partitionOf } from '../../../src/storage/index.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { ManualClock } from '../manual-clock.js';
import { turnsDuring } from '../../support/turns.js';

const TTL = 60_000;

it('asks the store only for the expiries of its part, in which others are never seen', async () => {
  const engine = createMemoryStorage({ clock: new ManualClock() });
  const asked: (string | undefined)[] = [];
  const inner = decorateStorage(engine, {
    expiries: (prefix) => {
      asked.push(prefix);
      return engine.expiries(prefix);
    },
  });
  const [one, other] = [partitionOf(inner, '/w/1'), partitionOf(inner, '/w/2')];
  for (const part of [one, other]) for (const key of ['/a/x', '/b/x']) await part.create(key, () => '{}', { ttl: TTL });
  expect([...(await one.expiries()).keys()]).toEqual(['/a/x', '/b/x']);
  expect([...(await other.expiries('/b/')).keys()]).toEqual(['/b/x']);
  expect(asked).toEqual(['/w/1', '/w/2/b/']);
  // A store around the engine that does not know of prefixes.
  const whole = partitionOf(decorateStorage(engine, { expiries: () => engine.expiries() }), '/w/1');
  expect([...(await whole.expiries('/a/')).keys()]).toEqual(['/a/x']);
});

it('looks for them in several turns', async () => {
  const engine = createMemoryStorage({ clock: new ManualClock() });
  const part = partitionOf(engine, '/w/1');
  for (let index = 0; index < 300; index += 1) await part.create(`/a/${index}`, () => '{}', { ttl: TTL });
  expect(await turnsDuring(() => part.expiries())).toBeGreaterThan(20);
});
