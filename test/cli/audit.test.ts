/** `--audit-*`: a log file, standard output, and a webhook. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AuditEvent } from '../../src/security/audit/index.js';
import { encodeYaml } from '../../src/server/codec/index.js';
import { asOwner, plain, ServingTests, stop } from './serving.js';

const tests = new ServingTests();

const policy = (level: string): string => `
apiVersion: audit.orch.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  userAgents: [nothing]
  nonResourceURLs: ['/*']
- level: None
  users: ['system:apiserver']
  verbs: [watch]
- level: ${level}
  verbs: [create]
  resources: [{group: '', resources: [configmaps]}]
  namespaces: [default]
`;
const MAPS = '/api/v1/namespaces/default/configmaps';
const create = (serving: Parameters<typeof asOwner>[0], name: string): Promise<unknown> =>
  asOwner(serving, 'POST', MAPS, { metadata: { name } });
const eventsOf = (text: string): AuditEvent[] =>
  text.split('\n').flatMap((line) => (line.startsWith('{"kind":"Event"') ? [JSON.parse(line) as AuditEvent] : []));

describe('the audit flags', () => {
  it('write a log file, by a policy that is reloaded', async () => {
    const policyFile = await tests.file('policy.yaml', policy('Metadata'));
    const path = join(tests.directory, 'logs', 'audit.log');
    const serving = await tests.start([...plain, `--audit-policy-file=${policyFile}`, `--audit-log-path=${path}`]);
    await create(serving, 'a');
    const [event, ...rest] = eventsOf(await readFile(path, 'utf8')).filter(({ objectRef }) => objectRef?.name === 'a');
    expect(rest).toEqual([]);
    expect(event).toMatchObject({
      level: 'Metadata',
      verb: 'create',
      sourceIPs: ['127.0.0.1'],
      stage: 'ResponseComplete',
    });
    await tests.file('policy.yaml', policy('Request'));
    await vi.waitFor(async () => {
      await create(serving, `b${Math.floor(performance.now() * 1000)}`);
      expect(eventsOf(await readFile(path, 'utf8')).at(-1)?.level).toBe('Request');
    }, 10_000);
    expect(await stop(serving)).toBe(0);
  });

  it('write to standard output in the old format', async () => {
    const policyFile = await tests.file('policy.yaml', policy('Metadata'));
    const flags = [`--audit-policy-file=${policyFile}`, '--audit-log-path=-', '--audit-log-format=legacy'];
    const serving = await tests.start([...plain, ...flags]);
    await create(serving, 'a');
    expect(serving.host.out()).toMatch(/^\S+Z AUDIT: id="[-0-9a-f]{36}" stage="ResponseComplete" ip="127.0.0.1"/m);
  });

  it('send batches to a webhook, the rest at the end', async () => {
    const lists: { items: AuditEvent[] }[] = [];
    const receiver = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      request.on('end', () => {
        lists.push(JSON.parse(text) as { items: AuditEvent[] });
        response.end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      receiver.closeAllConnections();
      receiver.close();
    });
    const config = await tests.file(
      'webhook.yaml',
      encodeYaml({
        ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
        clusters: [
          { name: 's', cluster: { server: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/audit` } },
        ],
        users: [{ name: 'u', user: {} }],
        contexts: [{ name: 'c', context: { cluster: 's', user: 'u' } }],
      }),
    );
    const policyFile = await tests.file('policy.yaml', policy('Metadata'));
    const serving = await tests.start([
      ...plain,
      `--audit-policy-file=${policyFile}`,
      `--audit-webhook-config-file=${config}`,
    ]);
    await create(serving, 'a');
    expect(lists).toEqual([]);
    expect(await stop(serving)).toBe(0);
    expect(lists.flatMap(({ items }) => items.map(({ objectRef }) => objectRef?.name))).toContain('a');
  });

  it('without a policy record nothing, and say so', async () => {
    const path = join(tests.directory, 'audit.log');
    const { host } = await tests.start([...plain, `--audit-log-path=${path}`]);
    expect(host.err()).toContain('no audit policy file provided');
    await expect(readFile(path)).rejects.toThrow(/ENOENT/);
  });

  it.each<[string, string, string]>([
    ['an invalid policy', policy('All'), 'loading audit policy file: rules[2].level: Unsupported value: "All"'],
    ['no policy', 'kind: Pod\napiVersion: v1', 'no kind'],
  ])('refuse %s', async (_, text, message) => {
    const policyFile = await tests.file('policy.yaml', text);
    const flags = [`--audit-policy-file=${policyFile}`, '--audit-log-path=-'];
    await expect(tests.start([...plain, ...flags])).rejects.toThrow(message);
  });
});
