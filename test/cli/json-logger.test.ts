import { expect, it } from 'vitest';
import { createJsonLogger } from '../../src/cli/json-logger.js';
import { createManualClock } from '../../src/testing/time/manual-clock.js';

function lines(): { logger: ReturnType<typeof createJsonLogger>; written: string[] } {
  const written: string[] = [];
  return {
    logger: createJsonLogger(
      { write: (text) => written.push(text) },
      createManualClock(Date.UTC(2024, 1, 3, 4, 5, 6, 7)),
    ),
    written,
  };
}

it('writes one object per line, starting with the time', () => {
  const { logger, written } = lines();
  logger.info('one', { a: 1, text: 'two\nlines' });
  logger.warn?.('between');
  logger.error('two');
  expect(written).toEqual([
    '{"time":"2024-02-03T04:05:06.007Z","level":"info","message":"one","a":1,"text":"two\\nlines"}\n',
    '{"time":"2024-02-03T04:05:06.007Z","level":"warn","message":"between"}\n',
    '{"time":"2024-02-03T04:05:06.007Z","level":"error","message":"two"}\n',
  ]);
});

it('writes errors with their causes, and integers of any size', () => {
  const { logger, written } = lines();
  logger.error('failed', { error: new TypeError('no', { cause: new Error('deep') }), revision: 2n ** 64n });
  const [line] = written.map(
    (text) =>
      JSON.parse(text) as {
        error: { name: string; message: string; stack: string; cause: { message: string } };
        revision: string;
      },
  );
  expect(line).toMatchObject({
    error: { name: 'TypeError', message: 'no', cause: { message: 'deep' } },
    revision: '18446744073709551616',
  });
  expect(line?.error.stack).toContain('json-logger.test.ts');
});

it('keeps fields named like the standard ones, and drops circular ones', () => {
  const { logger, written } = lines();
  logger.info('one', { level: 'high', time: 1 });
  const self: Record<string, unknown> = {};
  self['self'] = self;
  logger.info('two', self);
  expect(written.map((text) => JSON.parse(text) as unknown)).toEqual([
    { time: '2024-02-03T04:05:06.007Z', level: 'info', message: 'one', 'field.level': 'high', 'field.time': 1 },
    { time: '2024-02-03T04:05:06.007Z', level: 'info', message: 'two' },
  ]);
});
