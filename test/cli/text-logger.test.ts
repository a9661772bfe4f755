import { expect, it } from 'vitest';
import { createTextLogger } from '../../src/cli/text-logger.js';
import { createManualClock } from '../../src/testing/time/manual-clock.js';

function written(log: (logger: ReturnType<typeof createTextLogger>) => void): string {
  let text = '';
  log(createTextLogger({ write: (part) => (text += part) }, createManualClock(Date.UTC(2024, 1, 3, 4, 5, 6, 7))));
  return text;
}

it('writes time, level, message and fields on one line', () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  expect(
    written((logger) =>
      logger.info('two words', {
        plain: 'a/b:c',
        spaced: 'a b',
        quoted: 'a"b',
        empty: '',
        number: 1,
        list: ['a', 'b'],
        object: { a: [1n] },
        none: undefined,
        circle,
      }),
    ),
  ).toBe(
    '04:05:06.007 INFO  two words plain=a/b:c spaced="a b" quoted="a\\"b" empty="" number=1 list=a,b object="{\\"a\\":[\\"1\\"]}" none=undefined circle="a circular value"\n',
  );
});

it('writes errors with stack and causes below', () => {
  const text = written((logger) =>
    logger.error('failed', { error: new TypeError('no\nmore', { cause: new Error('deep') }) }),
  );
  expect(text.split('\n')[0]).toBe('04:05:06.007 ERROR failed error="no\\nmore"');
  expect(text).toContain('\n  TypeError: no\n  more\n');
  expect(text).toContain('\n  caused by:\n  Error: deep\n');
});

it('escapes line breaks and terminal control characters', () => {
  const text = written((logger) =>
    logger.info('a\nb\x1b[2J', { agent: 'x\r\n04:05:06.007 ERROR forged\x1b]0;title\x07\u2028\x9b' }),
  );
  expect(text.trimEnd()).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028]/);
});
