import { describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask, received, textOf } from '../server/ask.js';
import { createPod, podsOf } from './support.js';

const start = (): Promise<TestServer> => startTestServer({ dialect: 'kubernetes', simulate: { nodes: 1 } });

async function request({ server }: TestServer, target: string): Promise<{ status: number; text: string }> {
  const token = /token: (\S+)/.exec(server.kubeConfig())?.[1] ?? '';
  const answer = await received(await ask(server, 'GET', target, { token }));
  return { status: answer.status, text: textOf(answer) };
}

async function json(test: TestServer, target: string): Promise<Record<string, never>> {
  return JSON.parse((await request(test, target)).text) as Record<string, never>;
}

const METRICS = '/apis/metrics.k8s.io/v1beta1';
const logOf = (name: string, query = ''): string => `/api/v1/namespaces/default/pods/${name}/log${query}`;

describe('the log of a simulated pod', () => {
  test('is empty without a rule, and the text of the newest rule otherwise', async () => {
    await using server = await start();
    await createPod(server, 'web');
    expect(await request(server, logOf('web'))).toEqual({ status: 200, text: '' });
    const rule = server.pods.matching({ name: 'web' }).log('started\nready\n');
    expect(await request(server, logOf('web'))).toEqual({ status: 200, text: 'started\nready\n' });
    expect(await request(server, logOf('web', '?tailLines=1&timestamps=true'))).toEqual({
      status: 200,
      text: '2024-01-01T00:00:00.000000000Z ready\n',
    });
    expect(rule.hits).toBe(1);
    rule.stop();
    expect(await request(server, logOf('web'))).toEqual({ status: 200, text: '' });
  });

  test('does not exist before the container starts, and of no previous run', async () => {
    await using server = await start();
    server.pods.matching({ name: 'web' }).become('ImagePullBackOff');
    await createPod(server, 'web');
    await createPod(server, 'other');
    const refusal = async (target: string): Promise<string> => {
      const { status, text } = await request(server, target);
      return `${status} ${(JSON.parse(text) as { message: string }).message}`;
    };
    expect(await refusal(logOf('web'))).toBe(
      '400 container "main" in pod "web" is waiting to start: trying and failing to pull image',
    );
    expect(await refusal(logOf('other', '?previous=true'))).toBe(
      '400 previous terminated container "main" in pod "other" not found',
    );
  });

  test('of a previous run is there when there was one', async () => {
    await using server = await start();
    server.pods.matching({ name: 'web' }).become('CrashLoopBackOff');
    server.pods.matching({ name: 'web' }).log(['failed']);
    await createPod(server, 'web');
    expect(await request(server, logOf('web', '?previous=true'))).toEqual({ status: 200, text: 'failed\n' });
  });

  test('is refused in a rule that is not a text', async () => {
    await using server = await start();
    expect(() => server.pods.matching('app=web').log(3 as never)).toThrow(/must be a string or a list of lines/);
  });
});

describe('the metrics of simulated pods', () => {
  test('are what rules say', async () => {
    await using server = await start();
    const containers = ['main', 'side'].map((name) => ({ name, image: 'a' }));
    await createPod(server, 'web', { containers });
    await createPod(server, 'idle');
    using rule = server.pods.matching({ name: 'web' }).use({ cpu: '250m', memory: '64Mi' });
    expect(await json(server, `${METRICS}/namespaces/default/pods/web`)).toEqual({
      apiVersion: 'metrics.k8s.io/v1beta1',
      kind: 'PodMetrics',
      metadata: { name: 'web', namespace: 'default', creationTimestamp: '2024-01-01T00:00:00Z' },
      timestamp: '2024-01-01T00:00:00Z',
      window: '30s',
      containers: [
        { name: 'main', usage: { cpu: '250m', memory: '64Mi' } },
        { name: 'side', usage: { cpu: '250m', memory: '64Mi' } },
      ],
    });
    expect(await json(server, `${METRICS}/nodes/node-1`)).toMatchObject({
      kind: 'NodeMetrics',
      metadata: { labels: { 'kubernetes.io/hostname': 'node-1' } },
      usage: { cpu: '500m', memory: '128Mi' },
    });
    expect(rule.hits).toBe(1);
    const list = await json(server, `${METRICS}/pods`);
    expect(list).toMatchObject({
      kind: 'PodMetricsList',
      items: [{ metadata: { name: 'idle' } }, { metadata: { name: 'web' } }],
    });
  });

  test('exist for pods that run, and can be selected', async () => {
    await using server = await start();
    await podsOf(server).create({
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'a' }] },
    });
    server.pods.matching({ name: 'late' }).become('ContainerCreating');
    await createPod(server, 'late');
    const names = async (query = ''): Promise<string[]> =>
      (
        (await json(server, `${METRICS}/namespaces/default/pods${query}`)) as unknown as {
          items: { metadata: { name: string } }[];
        }
      ).items.map(({ metadata }) => metadata.name);
    expect(await names()).toEqual(['web']);
    expect(await names('?labelSelector=app%3Dapi')).toEqual([]);
    expect((await request(server, `${METRICS}/namespaces/default/pods/late`)).status).toBe(404);
  });

  test('are discovered with simulated nodes only', async () => {
    await using server = await start();
    await using bare = await startTestServer({ dialect: 'kubernetes' });
    const { resources } = (await json(server, METRICS)) as unknown as {
      resources: { name: string; verbs: string[] }[];
    };
    expect(resources.map(({ name, verbs }) => [name, verbs])).toEqual([
      ['nodes', ['get', 'list']],
      ['pods', ['get', 'list']],
    ]);
    expect((await request(bare, METRICS)).status).toBe(404);
  });

  test('are refused in a rule with an unknown option', async () => {
    await using server = await start();
    expect(() => server.pods.matching('app=web').use({ cpu: 'much' })).toThrow(/cpu must be a quantity/);
  });
});
