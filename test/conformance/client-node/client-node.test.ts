import { describe, test } from 'vitest';
import { cases } from './cases.js';
import { candidates } from './library.js';
import { reach, type Way } from './reach.js';

const ways: readonly Way[] = ['without a socket', 'over http', 'over https'];

for (const candidate of candidates) {
  if ('reason' in candidate) {
    describe.skip(`${candidate.name} is not tested: ${candidate.reason}`, () =>
      test.each(cases)('$name', () => undefined));
    continue;
  }
  const { library, name } = candidate;
  describe.each(ways)(`${name} %s`, (way) => {
    test.each(cases)('$name', async ({ run }) => {
      await using reached = await reach(library, way);
      const { kubeConfig } = reached;
      await run({ library, reached, kubeConfig, core: kubeConfig.makeApiClient(library.CoreV1Api) });
    });
  });
}
