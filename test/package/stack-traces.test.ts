import { expect, test } from 'vitest';
import { checkOptions } from '../../src/foundation/options/options.js';
import { textOf } from './project.js';

test('a stack trace names the lines of the source, however the tests load it', () => {
  const file = 'src/foundation/options/options.ts';
  const line = textOf(file).slice(0, textOf(file).indexOf('the options must be an object')).split('\n').length;
  let stack: string | undefined;
  try {
    checkOptions('f', 1, {}, []);
  } catch (error) {
    ({ stack } = error as Error);
  }
  const [message, thrower, caller] = stack?.split('\n') ?? [];
  expect(message).toBe('TypeError: f: the options must be an object, got 1');
  expect(thrower).toMatch(new RegExp(`^ +at checkOptions \\(.*/${file}:${line}:\\d+\\)$`));
  expect(caller).toContain('test/package/stack-traces.test.ts:10:');
});
