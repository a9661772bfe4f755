import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/index.js';
import { EngineHome, engines, enginesHere } from '../engines.js';
import { families } from './expected-failures.js';
import { recordingsDirectory } from './recordings.js';
import { replayFamily } from './replay.js';
import { judge } from './verdict.js';

const recordings = recordingsDirectory();

describe.concurrent.each(engines)('on the engine %s', (engine) => {
  describe
    .skipIf(!enginesHere.includes(engine))
    .concurrent('a recorded conversation matches that with a real server', () => {
      let home: EngineHome;
      beforeAll(async () => {
        home = await EngineHome.make(engine);
      }, 300_000);
      afterAll(() => home.remove());

      test.each(families)('%s', { timeout: 300_000 }, async (family) => {
        const outcome = await replayFamily(recordings, family, await home.open(systemClock));
        expect(outcome.steps).toBeGreaterThan(0);
        expect(judge(outcome)).toEqual({ unexpected: [], stale: [] });
      });
    });
});
