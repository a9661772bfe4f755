/** The real command-line tool against simulated pods, whose answers rules give. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pod, type ExecSession } from '../../../src/entries/index.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { createServingCertificate, listen, type Listener } from '../../../src/transport/node/index.js';
import { Kubectl, toolMinor } from './kubectl.js';

/** Releases of the tool that forward ports over WebSocket. */
const FIRST_WITH_WEB_SOCKETS = 31;

async function all(chunks: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const read: Uint8Array[] = [];
  for await (const chunk of chunks ?? []) read.push(chunk);
  return Buffer.concat(read);
}

/** Yields an archive of one file, in the form of POSIX (ustar). */
function* archiveOf(name: string, content: string): Generator<Buffer> {
  const head = Buffer.alloc(512);
  const fields = [name, '0000644', '0000000', '0000000', content.length.toString(8).padStart(11, '0'), '00000000000'];
  for (const [index, at] of [0, 100, 108, 116, 124, 136].entries()) head.write(fields[index] ?? '', at);
  head.write('        0', 148);
  head.write('ustar\0' + '00', 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  yield head;
  for (let at = 0; at < content.length; at += 65_536) yield Buffer.from(content.slice(at, at + 65_536));
  yield Buffer.alloc(((512 - (content.length % 512)) % 512) + 1024);
}

/** Sends bytes to a port of this machine. @returns what it answers until it closes the connection */
async function answerOf(port: number, text: string): Promise<string> {
  const socket = connectTcp(port, '127.0.0.1');
  const answer = all(socket);
  socket.write(text);
  return String(await answer);
}

/** Reads the port of this machine that the tool forwards. */
async function forwardedPort(lines: AsyncIterator<string>, remote: number): Promise<number> {
  const seen: string[] = [];
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
    const port = new RegExp(`127\\.0\\.0\\.1:(\\d+) -> ${remote}$`).exec(next.value)?.[1];
    if (port !== undefined) return Number(port);
    seen.push(next.value);
  }
  throw new Error(`the tool ended: ${seen.join(', ')}`);
}

describe.skipIf((toolMinor ?? 0) < FIRST_WITH_WEB_SOCKETS)('simulated pods', () => {
  let directory: string;
  let test: TestServer;
  let listener: Listener;
  let kubectl: Kubectl;
  let uploaded: Buffer | undefined;

  /** A container with `tar`, and one file of some megabytes. */
  async function tar({ command, stdin, stdout, stderr }: ExecSession): Promise<number> {
    if (command[0] !== 'tar') return 127;
    if (command[1] === 'cf') {
      for (const part of archiveOf('data/large', 'text '.repeat(600_000))) await stdout?.write(part);
      return 0;
    }
    uploaded = await all(stdin);
    await stderr?.write('');
    return 0;
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'orch-simulated-'));
    test = await startTestServer({ dialect: 'kubernetes', simulate: { nodes: 1 } });
    const { keyPem, certPem, caPem } = await createServingCertificate();
    listener = await listen(test.server, { port: 0, tls: { key: keyPem, cert: certPem } });
    const kubeconfig = join(directory, 'kubeconfig');
    await writeFile(kubeconfig, test.server.kubeConfig({ server: listener.url, certificateAuthority: caPem }));
    kubectl = new Kubectl({ directory, kubeconfig });
    const pods = test.client.resource(Pod).namespace('default');
    for (const name of ['web', 'files', 'silent', 'done'])
      await pods.create({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'i' }] } });
    test.pods.matching({ name: 'done' }).become('Succeeded');
    await test.settled();
    const { pods: rules } = test;
    rules.matching({ name: 'web' }).exec({
      'cat /etc/version': '1.2.3\n',
      reload: { stdout: 'reloading\n', stderr: 'it fails\n', exitCode: 3 },
    });
    rules.matching({ name: 'web' }).attach({ stdout: 'hello\n' });
    rules.matching({ name: 'files' }).exec((_pod, session) => tar(session));
    rules.matching({ name: 'web' }).portForward({ 80: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok' });
    rules.matching({ name: 'files' }).portForward(async (_pod, { data, write }) => {
      for await (const chunk of data) await write(chunk);
    });
  }, 300_000);

  afterAll(async () => {
    await listener?.close({ grace: 0 });
    await test?.close();
    await rm(directory, { recursive: true });
  });

  it('exec', async () => {
    expect(await kubectl.ok('exec web -- cat /etc/version')).toBe('1.2.3\n');
    expect(await kubectl.run('exec web -- reload now')).toMatchObject({
      code: 3,
      stdout: 'reloading\n',
      stderr: expect.stringContaining('it fails\n'),
    });
    expect(await kubectl.run('exec web -- ls')).toMatchObject({
      code: 127,
      stderr: expect.stringContaining('ls: command not found'),
    });
    expect(await kubectl.fails('exec silent -- ls')).toContain('pods.matching(…).exec(…)');
    expect(await kubectl.fails('exec done -- ls')).toContain('container not found ("main")');
  });

  it('attach', async () => {
    expect(await kubectl.ok('attach web')).toBe('hello\n');
    expect(await kubectl.fails('attach silent')).toContain('pods.matching(…).attach(…)');
  });

  it('cp in both directions', async () => {
    await kubectl.ok('cp files:/data/large copied');
    expect((await readFile(join(directory, 'copied'))).length).toBe(3_000_000);
    await writeFile(join(directory, 'local'), 'up '.repeat(500_000));
    await kubectl.ok('cp local files:/data/local');
    expect(uploaded?.includes('up up up')).toBe(true);
    expect(uploaded?.length).toBeGreaterThan(1_500_000);
  });

  it('port-forward', async () => {
    const forwarding = kubectl.follow('port-forward pod/web :80 :81 --address=127.0.0.1');
    const ports: number[] = [];
    for (const remote of [80, 81]) ports.push(await forwardedPort(forwarding.lines, remote));
    const [web = 0, closed = 0] = ports;
    for (let round = 0; round < 2; round += 1) expect(await answerOf(web, 'GET /')).toMatch(/200 OK[^]*ok$/);
    expect(await answerOf(closed, 'GET /')).toBe('');
    forwarding.end();
  });

  it('port-forward of much data', async () => {
    const forwarding = kubectl.follow('port-forward pod/files :9000 --address=127.0.0.1');
    const socket = connectTcp(await forwardedPort(forwarding.lines, 9000), '127.0.0.1');
    const echoed = all(socket);
    const sent = Buffer.from('0123456789'.repeat(400_000));
    socket.end(sent);
    await once(socket, 'close');
    expect((await echoed).equals(sent)).toBe(true);
    forwarding.end();
  });
});
