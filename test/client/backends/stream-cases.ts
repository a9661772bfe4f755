import { expect } from 'vitest';
import { ConnectionLostError } from '../../../src/entries/client.js';
import { errors } from '../../../src/foundation/errors/api-error.js';
import { Namespace, Pod, type PodHandlers } from '../../../src/entries/index.js';
import { failure, type CaseWorld, type ClientCase } from './case-world.js';

const decoder = new TextDecoder();

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text;
}

/** Signals of the commands that run until they are aborted. */
const waiting: AbortSignal[] = [];

/** The handlers of pods. The first word of a command says what it does. */
export const streamHandlers: Pick<PodHandlers, 'exec' | 'attach' | 'portForward'> = {
  async exec(_pod, { command, container, stdin, stdout, stderr, tty, resizes, signal }) {
    const [program = '', argument = ''] = command;
    if (program === 'upper')
      for await (const chunk of stdin ?? []) await stdout?.write(decoder.decode(chunk).toUpperCase());
    if (program === 'fail') throw errors.internal('the program is missing');
    if (program === 'size') for await (const { width, height } of resizes) return width * 1000 + height;
    if (program === 'much') for (let part = 0; part < 64; part += 1) await stdout?.write('x'.repeat(65_536));
    if (program === 'wait') {
      waiting.push(signal);
      await stdout?.write('waiting');
      return new Promise<number>(() => undefined);
    }
    if (program === 'show') {
      await stdout?.write(`${container} ${argument}${tty ? ' tty' : ''} ✓`);
      await stderr?.write('problem');
    }
    return program === 'show' ? 3 : 0;
  },
  async attach({ metadata }, { stdout }) {
    await stdout?.write(`attached to ${metadata.name}`);
  },
  async portForward(_pod, { port, data, write }) {
    if (port === 81) throw errors.badRequest('connection refused');
    for await (const chunk of data) await write(`${port} ${decoder.decode(chunk)}`);
  },
};

async function podsOf(world: CaseWorld, names: readonly string[] = ['web']) {
  const pods = (await world.client()).resource(Pod).namespace(world.namespace);
  for (const name of names)
    await pods.create({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'i' }] } });
  return pods;
}

/** A case of streams: a way without sockets refuses them. */
const streamCase = (name: string, run: (world: CaseWorld) => Promise<void>): ClientCase => ({
  name,
  async run(world) {
    if (world.hasSockets) return run(world);
    const pods = await podsOf(world);
    await expect(pods.exec('web', ['show'])).rejects.toMatchObject({ name: ConnectionLostError.name });
    await expect(pods.exec('none', ['show'])).rejects.toMatchObject({ code: 404 });
  },
});

/** The cases of `exec`, `attach` and `portForward`. */
export const streamCases: readonly ClientCase[] = [
  streamCase('a command has output, error output and an exit code', async (world) => {
    const pods = await podsOf(world);
    const session = await pods.exec('web', ['show', 'a b'], { container: 'main' });
    expect(await session.output()).toEqual({ stdout: 'main a b ✓', stderr: 'problem', exitCode: 3 });
    const terminal = await pods.exec('web', ['show', 'a'], { tty: true });
    expect(await terminal.output()).toEqual({ stdout: 'main a tty ✓', stderr: '', exitCode: 3 });
    const quiet = await pods.exec('web', ['show'], { stdout: false });
    expect(await quiet.output()).toEqual({ stdout: '', stderr: 'problem', exitCode: 3 });
    const attached = await pods.attach('web');
    expect(await attached.output()).toEqual({ stdout: 'attached to web', stderr: '', exitCode: 0 });
  }),
  streamCase('a command has input, until it ends', async (world) => {
    const pods = await podsOf(world);
    const large = 'text '.repeat(100_000);
    const piped = await pods.exec('web', ['upper'], { stdin: large });
    expect((await piped.output()).stdout).toBe(large.toUpperCase());
    await using session = await pods.exec('web', ['upper'], { stdin: true, stderr: false });
    await session.write('one ');
    await session.write(new TextEncoder().encode('two'));
    await session.end();
    expect(await textOf(session.stdout)).toBe('ONE TWO');
    expect(await session.exitCode).toBe(0);
    await expect(session.write('three')).rejects.toThrow('the stream has ended');
  }),
  streamCase('a command may end without reading its input', async (world) => {
    const pods = await podsOf(world);
    const large = 'x'.repeat(4 * 1024 * 1024);
    const session = await pods.exec('web', ['show'], { stdin: large });
    expect(await session.exitCode).toBe(3);
    const abort = new AbortController();
    const stuck = await pods.exec('web', ['wait'], { stdin: true, signal: abort.signal });
    for await (const _chunk of stuck.stdout) break;
    const writing = stuck.write(large).catch((error: unknown) => error);
    abort.abort(new Error('enough'));
    expect(await writing).toMatchObject({ message: 'enough' });
  }),
  streamCase('a command gets the size of the terminal', async (world) => {
    const pods = await podsOf(world);
    await using session = await pods.exec('web', ['size'], { tty: true });
    await session.resize({ width: 80, height: 25 });
    expect(await session.exitCode).toBe(80_025);
  }),
  streamCase('much output arrives whole, though it is read late, and may be bounded', async (world) => {
    const pods = await podsOf(world);
    await using session = await pods.exec('web', ['much'], { stderr: false });
    expect((await textOf(session.stdout)).length).toBe(64 * 65_536);
    await expect((await pods.exec('web', ['much'])).output({ maxBytes: 100_000 })).rejects.toThrow(
      'the output is longer than 100000 bytes',
    );
  }),
  streamCase('refusals are ApiErrors with the Status of the server', async (world) => {
    const pods = await podsOf(world);
    const there = world.test.client.resource(Pod).namespace(world.namespace);
    const error = await failure((await pods.exec('web', ['fail'])).exitCode);
    expect(error.status).toEqual((await failure((await there.exec('web', ['fail'])).exitCode)).status);
    expect(error.message).toContain('the program is missing');
    expect((await failure(pods.exec('none', ['show']))).status).toEqual(
      (await failure(there.exec('none', ['show']))).status,
    );
    const eve = (await world.client({ user: 'eve' })).resource(Pod).namespace(world.namespace);
    if (world.hasHeaders)
      await expect(eve.exec('web', ['show'])).rejects.toMatchObject({
        code: 403,
        message: expect.stringContaining('cannot get resource "pods/exec"'),
      });
    else await expect(eve.exec('web', ['show'])).rejects.toThrow(/cannot open streams as another user/);
    const namespaces = (await world.client()).resource(Namespace);
    // @ts-expect-error a namespace has no processes
    await expect(namespaces.exec('default', ['show'])).rejects.toThrow(new TypeError('Namespace has no exec'));
  }),
  streamCase('a signal ends a session, and the command is told', async (world) => {
    const pods = await podsOf(world);
    const abort = new AbortController();
    const reason = new Error('enough');
    const session = await pods.exec('web', ['wait'], { signal: abort.signal });
    let text = '';
    for await (const chunk of session.stdout) {
      text += decoder.decode(chunk);
      abort.abort(reason);
    }
    expect(text).toBe('waiting');
    await expect(session.exitCode).rejects.toBe(reason);
    await expect.poll(() => waiting.at(-1)?.aborted).toBe(true);
    await expect(pods.exec('web', ['show'], { signal: abort.signal })).rejects.toBe(reason);
  }),
  streamCase('a connection to a port carries data in both directions', async (world) => {
    const pods = await podsOf(world);
    await using port = await pods.portForward('web', 80);
    await port.write('ping');
    await port.end();
    expect(await textOf(port.data)).toBe('80 ping');
    await using refused = await pods.portForward('web', 81);
    await expect(textOf(refused.data)).rejects.toMatchObject({
      code: 500,
      message: 'error forwarding port 81 to pod web: connection refused',
    });
    await expect(pods.portForward('none', 80)).rejects.toMatchObject({ code: 404 });
  }),
  {
    name: 'invalid arguments of streams are TypeErrors',
    async run(world) {
      const pods = await podsOf(world);
      for (const call of [
        () => pods.exec('', ['show']),
        () => pods.exec('web', []),
        () => pods.exec('web', 'show' as never),
        () => pods.exec('web', ['show'], { tty: true, stderr: true }),
        () => pods.attach('web', { stdout: false, stderr: false }),
        () => pods.attach('web', { container: 3 } as never),
        () => pods.portForward('web', 0),
        () => pods.portForward('web', 80, { ports: [80] } as never),
      ])
        await expect(call()).rejects.toThrow(TypeError);
    },
  },
];
