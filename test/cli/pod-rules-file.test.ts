/** `serve --simulate-pods`. */
import { describe, expect, it } from 'vitest';
import { connect } from '../../src/entries/client.js';
import { Pod } from '../../src/entries/index.js';
import { plain, ServingTests, stop } from './serving.js';
import { command } from './stores.js';

const tests = new ServingTests();

describe('serve --simulate-pods', () => {
  it('lets simulated pods become and answer what a file says', async () => {
    const path = await tests.file('rules.yaml', "- exec: { 'cat /etc/version': '1.2' }\n  log: [started]\n");
    const server = await tests.start([...plain, '--simulate-nodes=1', `--simulate-pods=${path}`]);
    await using client = await connect({ url: server.http, token: server.token }, { dialect: 'orch' });
    const pods = client.resource(Pod).namespace('default');
    await pods.create({ metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'i' }] } });
    await pods.waitFor('web', { condition: 'Ready' });
    const session = await pods.exec('web', ['cat', '/etc/version']);
    expect(await session.output()).toEqual({ stdout: '1.2', stderr: '', exitCode: 0 });
    expect((await pods.logs('web').next()).value).toBe('started');
    await stop(server);
  });

  it.each([
    ['- exec: { ls: 3 }\n', ['--simulate-nodes=1'], 'rules[0]: pods.matching(…).exec: the answer must be'],
    ['- become: Fine\n', ['--simulate-nodes=1'], 'rules[0]: pods cannot become "Fine"'],
    ['[]\n', [], 'pods run on simulated nodes: use --simulate-nodes, too'],
  ])('refuses %j with %j', async (content, flags, message) => {
    const path = await tests.file('rules.yaml', content);
    for (const name of ['serve', 'test-server']) {
      const { code, err } = await command([name, ...flags, `--simulate-pods=${path}`]);
      expect(code).toBe(2);
      expect(err).toContain(`orch-apiserver: --simulate-pods: ${message}`);
    }
  });
});
