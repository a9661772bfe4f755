/** Progress of long commands: a bar on a terminal, lines elsewhere. */
import { expect, it } from 'vitest';
import { Progress } from '../../src/cli/storage/progress.js';
import { createFakeHost, type FakeHost } from './fake-host.js';

/** Reports 0 to 200 of 200 records, 20 ms apart. */
async function work(host: FakeHost): Promise<Progress> {
  const progress = new Progress(host, 'writing');
  for (let done = 0; done <= 200; done += 1) {
    progress.at(done, 200);
    await host.clock.advance(20);
  }
  return progress;
}

it('is a line every two seconds where there is no terminal', async () => {
  const host = createFakeHost();
  (await work(host)).end();
  expect(host.err()).toBe('writing: 100 of 200 records\nwriting: 200 of 200 records\n');
});

it('is a bar on a terminal, redrawn ten times a second and erased at the end', async () => {
  const host = createFakeHost({ logsToTTY: true });
  const progress = await work(host);
  const drawn = host.err().split('\r\u001B[K').slice(1);
  expect(drawn).toHaveLength(40);
  expect(drawn[0]).toBe(`writing [${' '.repeat(24)}]   2% 5 of 200 records`);
  expect(drawn[19]).toBe(`writing [${'='.repeat(12)}${' '.repeat(12)}]  50% 100 of 200 records`);
  expect(drawn.at(-1)).toBe(`writing [${'='.repeat(24)}] 100% 200 of 200 records`);
  progress.end();
  progress.end();
  expect(host.err().endsWith('200 of 200 records\r\u001B[K')).toBe(true);
});

it('draws nothing of work that is done at once, and nothing wrong of no records', async () => {
  const host = createFakeHost({ logsToTTY: true });
  const progress = new Progress(host, 'writing');
  progress.at(1, 1);
  progress.end();
  expect(host.err()).toBe('');
  await host.clock.advance(100);
  progress.at(0, 0);
  expect(host.err()).toContain('100% 0 of 0 records');
});
