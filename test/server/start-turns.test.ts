import { expect, test } from 'vitest';
import { ApiServer } from '../../src/entries/index.js';
import { turnsDuring } from '../support/turns.js';

test('the parts of a start are done in several turns of the event loop when they take long', async () => {
  const server = new ApiServer();
  // The first start in a process also loads code, in turns of its own.
  await server.ready();
  await server.close();
  const other = new ApiServer();
  expect(await turnsDuring(() => other.ready())).toBeGreaterThan(1);
  await other.close();
});
