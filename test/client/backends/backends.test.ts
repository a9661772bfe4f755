import { afterAll, beforeAll, describe, test } from 'vitest';
import { Namespace } from '../../../src/entries/index.js';
import { Widget } from '../widget.js';
import { CASES } from './cases.js';
import { streamHandlers } from './stream-cases.js';
import { proxyHandler } from './proxy-cases.js';
import { DIALECTS, PLACES, type Reached } from './places.js';

/** A log of a pod: its name and the number of lines that are asked for, or lines without an end. */
async function* logOf(name: string, tailLines: number | undefined): AsyncGenerator<string, void, void> {
  if (name !== 'endless') return void (yield `${name} ${tailLines}\ngrün ✓\nno end`);
  for (let line = 1; ; line += 1) yield `line ${line}\n`;
}

const ways = PLACES.flatMap((place) => DIALECTS.map((dialect) => ({ place, dialect })));

describe.each(ways)('a client $place.name, $dialect', ({ place, dialect }) => {
  let reached: Reached;
  beforeAll(async () => {
    reached = await place.start(dialect, {
      resources: [Widget],
      handlers: {
        pods: {
          log: ({ metadata }, { tailLines }) => logOf(metadata.name ?? '', tailLines),
          proxy: proxyHandler,
          ...streamHandlers,
        },
        services: { proxy: proxyHandler },
      },
    });
  });
  afterAll(() => reached.close());

  test.each(CASES.map(({ name, run }, number) => ({ name, run, namespace: `case-${number}` })))(
    '$name',
    async ({ run, namespace }) => {
      await reached.test.client.resource(Namespace).create({ metadata: { name: namespace } });
      await reached.test.settled();
      const { isInProcess, hasSockets, hasHeaders } = place;
      await run({ ...reached, dialect, isInProcess, hasSockets, hasHeaders, namespace });
    },
  );
});
