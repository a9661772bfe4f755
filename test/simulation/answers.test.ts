import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { addPodRules } from '../../src/simulation/pods/pod-rules.js';
import { createPod, podsOf, stateOf } from './support.js';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({ dialect: 'kubernetes', simulate: { nodes: 1 } });
});
afterEach(() => server.close());

const run = async (name: string, ...command: string[]) => (await podsOf(server).exec(name, command)).output();

async function sent(name: string, port: number): Promise<string> {
  await using stream = await podsOf(server).portForward(name, port);
  await stream.write('hello');
  let text = '';
  for await (const chunk of stream.data) text += new TextDecoder().decode(chunk);
  return text;
}

describe('commands in simulated pods', () => {
  test('have the results of the newest rule', async () => {
    await createPod(server, 'web');
    await createPod(server, 'db');
    server.pods.matching({}).exec('any\n');
    const rule = server.pods.matching({ name: 'web' }).exec({
      'cat /etc/version': '1.2',
      reload: { stdout: 'out', stderr: 'err', exitCode: 3 },
    });
    expect(await run('web', 'cat', '/etc/version')).toEqual({ stdout: '1.2', stderr: '', exitCode: 0 });
    expect(await run('web', 'reload', 'now')).toEqual({ stdout: 'out', stderr: 'err', exitCode: 3 });
    expect(await run('web', 'constructor')).toMatchObject({
      stderr: 'constructor: command not found\n',
      exitCode: 127,
    });
    expect(await run('db', 'ls')).toEqual({ stdout: 'any\n', stderr: '', exitCode: 0 });
    expect(rule.hits).toBe(1);
    rule.stop();
    expect(await run('web', 'reload')).toEqual({ stdout: 'any\n', stderr: '', exitCode: 0 });
  });

  test('may be answered by a function', async () => {
    await createPod(server, 'web');
    server.pods.matching({}).exec(async ({ metadata }, { command, stdout }) => {
      await stdout?.write(`${metadata.name}: ${command.join(' ')}`);
      return 7;
    });
    expect(await run('web', 'ls', '-l')).toEqual({ stdout: 'web: ls -l', stderr: '', exitCode: 7 });
  });

  test('fail without a rule, and in a container that does not run', async () => {
    await createPod(server, 'web');
    await expect(run('web', 'ls')).rejects.toMatchObject({ code: 501, message: /pods\.matching\(…\)\.exec\(…\)/ });
    await expect((await podsOf(server).attach('web')).exitCode).rejects.toMatchObject({ code: 501 });
    server.pods.matching({}).exec('text');
    server.pods.matching({ name: 'done' }).become('Succeeded');
    await createPod(server, 'done');
    await expect(run('done', 'ls')).rejects.toMatchObject({
      code: 500,
      message: 'unable to upgrade connection: container not found ("main")',
    });
  });

  test('are answered in forks by the rules of the original', async () => {
    await createPod(server, 'web');
    server.pods.matching({}).exec('text');
    await using fork = await server.fork();
    expect(await (await podsOf(fork).exec('web', ['ls'])).output()).toMatchObject({ stdout: 'text' });
  });

  test('are answered by the program, if it has a handler', async () => {
    await using other = await startTestServer({
      simulate: true,
      handlers: { pods: { exec: async (_pod, { stdout }) => stdout?.write('of the program') } },
    });
    await createPod(other, 'web');
    other.pods.matching({}).exec('of the rule');
    other.pods.matching({}).attach('of the rule');
    expect((await (await podsOf(other).exec('web', ['ls'])).output()).stdout).toBe('of the program');
    expect((await (await podsOf(other).attach('web')).output()).stdout).toBe('of the rule');
  });
});

test('ports answer the first bytes, and others refuse connections', async () => {
  await createPod(server, 'web');
  server.pods.matching({}).portForward({ 80: 'HTTP/1.1 200 OK\r\n\r\n' });
  expect(await sent('web', 80)).toBe('HTTP/1.1 200 OK\r\n\r\n');
  await expect(sent('web', 81)).rejects.toThrow(
    'error forwarding port 81 to pod web: dial tcp4 127.0.0.1:81: connect: connection refused',
  );
  server.pods.matching({}).portForward(async (_pod, { port, write }) => write(`port ${port}`));
  expect(await sent('web', 82)).toBe('port 82');
  server.pods.matching({ name: 'done' }).become('Succeeded');
  await createPod(server, 'done', { restartPolicy: 'Never' });
  await expect(sent('done', 80)).rejects.toThrow('pod is not running. Current status=Succeeded');
});

describe('rules as data', () => {
  test('say what pods become and answer, the first ones first', async () => {
    addPodRules(server.pods, [
      { match: { name: 'bad' }, become: 'Failed', options: { exitCode: 3 } },
      { match: { name: 'web' }, exec: { ls: 'files' }, attach: { stdout: 'hello', exitCode: 2 }, log: ['line'] },
      { exec: 'any', portForward: { 80: 'answer' } },
    ]);
    await createPod(server, 'web');
    await createPod(server, 'bad');
    await createPod(server, 'db');
    expect(await stateOf(server, 'bad')).toContain('CrashLoopBackOff');
    expect((await run('web', 'ls')).stdout).toBe('files');
    expect((await run('db', 'ls')).stdout).toBe('any');
    expect(await (await podsOf(server).attach('web')).output()).toMatchObject({ stdout: 'hello', exitCode: 2 });
    expect(await sent('web', 80)).toBe('answer');
    const lines: string[] = [];
    for await (const line of podsOf(server).logs('web')) lines.push(line);
    expect(lines).toEqual(['line']);
  });

  test.each([
    [{}, 'rules about pods must be a list, got an object'],
    [[{ match: { names: 'web' } }], /^rules\[0\]: .*names/],
    [[{}, { exec: { ls: 3 } }], /^rules\[1\]: pods\.matching\(…\)\.exec: the answer must be a string, a function, or/],
    [[{ become: 'Fine' }], /^rules\[0\]: pods cannot become "Fine"/],
    [[{ ports: {} }], /^rules\[0\]: .*ports/],
    [[{ portForward: { 80: 3 } }], /^rules\[0\]: pods\.matching\(…\)\.portForward: /],
    [[{ attach: { exit: 3 } }], /^rules\[0\]: pods\.matching\(…\)\.attach: /],
  ])('are checked: %j', (rules, message) => {
    expect(() => addPodRules(server.pods, rules)).toThrow(message);
  });
});
