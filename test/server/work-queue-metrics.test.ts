/** The metrics of the controllers' work queues. */
import { expect, test } from 'vitest';
import { queueMeters } from '../../src/controllers/runtime/queue-meters.js';
import { kubernetes } from '../../src/entries/index.js';
import { Namespace } from '../../src/kinds/builtin/index.js';
import { Metrics } from '../../src/server/metrics/metrics.js';
import { createManualClock, startTestServer } from '../../src/entries/testing.js';
import { ask, textOf } from './ask.js';

test('the queue of the namespace controller is measured under its name in Kubernetes', async () => {
  await using server = await startTestServer({ dialect: kubernetes, authentication: { ownerToken: 'admin' } });
  const namespaces = server.client.resource(Namespace);
  await namespaces.create({ metadata: { name: 'gone' } });
  await namespaces.delete('gone');
  await server.settled();
  const text = textOf(await ask(server.server, 'GET', '/metrics'));
  expect(text).toContain('# HELP workqueue_adds_total [ALPHA] Total number of adds handled by workqueue\n');
  expect(text).toMatch(/^workqueue_adds_total\{name="namespace"\} [1-9]/m);
  expect(text).toContain('\nworkqueue_depth{name="namespace"} 0\n');
  expect(text).toContain('\nworkqueue_unfinished_work_seconds{name="namespace"} 0\n');
  expect(text).toContain('\nworkqueue_longest_running_processor_seconds{name="namespace"} 0\n');
  expect(text).toMatch(/^workqueue_work_duration_seconds_bucket\{name="namespace",le="1e-08"\} /m);
  expect(text).toMatch(/^workqueue_queue_duration_seconds_bucket\{name="namespace",le="9.999999999999999e-06"\} /m);
});

test('queues of one name share their series; running work is summed, and the longest is shown', async () => {
  const clock = createManualClock();
  const metrics = new Metrics();
  const meterOf = queueMeters(metrics, clock);
  const began = clock.now();
  const one = meterOf({ name: 'certificate', runningSince: () => [began] });
  const other = meterOf({ name: 'certificate', runningSince: () => [began + 1_000] });
  one.added();
  other.added();
  other.started(50);
  await clock.advance(3_000);
  const lines = (await metrics.read()).split('\n');
  expect(lines).toContain('workqueue_adds_total{name="certificate"} 2');
  expect(lines).toContain('workqueue_depth{name="certificate"} 1');
  expect(lines).toContain('workqueue_queue_duration_seconds_sum{name="certificate"} 0.05');
  expect(lines).toContain('workqueue_unfinished_work_seconds{name="certificate"} 5');
  expect(lines).toContain('workqueue_longest_running_processor_seconds{name="certificate"} 3');
});
