import { spawn, type ChildProcess } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { TYPESCRIPT } from './support/typescript.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const running: ChildProcess[] = [];
afterEach(() => running.splice(0).forEach((child) => child.kill('SIGKILL')));

function start(
  example: string,
  ...nodeFlags: string[]
): ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } {
  const env = { ...process.env, TSX_TSCONFIG_PATH: `${root}examples/tsconfig.json`, PORT: '0' };
  const child = spawn(process.execPath, [...TYPESCRIPT, ...nodeFlags, `${root}examples/${example}`], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  return child;
}

/** The text after `prefix` in the first line that contains it. */
async function announced(child: ReturnType<typeof start>, prefix: string): Promise<string> {
  for await (const line of createInterface(child.stdout)) if (line.startsWith(prefix)) return line.slice(prefix.length);
  throw new Error(`the example ended without "${prefix}": ${await text(child.stderr)}`);
}

async function exit(child: ChildProcess): Promise<unknown> {
  const closed = once(child, 'exit');
  child.kill('SIGTERM');
  return (await closed)[0];
}

test('lease-cleaner.test.ts: its tests pass', { timeout: 300_000 }, async () => {
  const child = start('lease-cleaner.test.ts', '--test-reporter=tap');
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(output).toContain('# pass 3');
  expect(output).toContain('# fail 0');
  expect(code).toBe(0);
});

test('operators: their tests pass, in the process and over the wire', { timeout: 300_000 }, async () => {
  const child = start('operators/operators.test.ts', '--test-reporter=tap');
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(output).toContain('# pass 6');
  expect(output).toContain('# fail 0');
  expect(code).toBe(0);
});

test('operators: one of them and the same with client-node, in the same events', { timeout: 300_000 }, async () => {
  const child = start('operators/comparison.test.ts', '--test-reporter=tap');
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(output).toContain('# pass 5');
  expect(code, output).toBe(0);
  // Counted as the page says.
  const linesOf = async (name: string): Promise<number> =>
    (await readFile(`${root}examples/operators/${name}.ts`, 'utf8'))
      .split('\n')
      .filter((line) => line.trim() !== '' && !/^\s*(?:\/\/|\/?\*)/.test(line)).length;
  const page = await readFile(`${root}docs/guides/controllers-compared.md`, 'utf8');
  expect(/^\| Lines of code[^|]*\|\s*(\d+)\s*\|\s*(\d+)/m.exec(page)?.slice(1).map(Number)).toEqual([
    await linesOf('secret-copier-client-node'),
    await linesOf('secret-copier'),
  ]);
});

test(
  'express-service.ts: the kind is served inside the application, and its objects are processed',
  { timeout: 300_000 },
  async () => {
    const child = start('express-service.ts');
    const url = await announced(child, 'listening on ');
    expect(await (await fetch(url)).text()).toBe('The shop is open.');
    const orders = `${url}/api-server/apis/orders.example/v1/namespaces/default/orders`;
    expect((await fetch(orders)).status).toBe(403);
    const headers = { authorization: 'Bearer alice-token', 'content-type': 'application/json' };
    const made = await fetch(orders, {
      method: 'POST',
      headers,
      body: JSON.stringify({ metadata: { name: 'one' }, spec: { item: 'tea' } }),
    });
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({
      spec: { item: 'tea', quantity: 1 },
      metadata: { annotations: { 'orders.example/by': 'alice' } },
    });
    const watch = await fetch(`${orders}?watch=true`, { headers });
    let seen = '';
    for await (const chunk of watch.body ?? []) {
      seen += new TextDecoder().decode(chunk);
      if (seen.includes('"phase":"Accepted"')) break;
    }
    expect(seen).toContain('"phase":"Accepted"');
    const bad = await fetch(orders, {
      method: 'POST',
      headers,
      body: JSON.stringify({ metadata: { name: 'two' }, spec: { item: '' } }),
    });
    expect(bad.status).toBe(422);
    expect(await exit(child)).toBe(0);
  },
);

test('certificate-signer.ts: it signs for the hosts of the shop, and for no others', { timeout: 300_000 }, async () => {
  const child = start('certificate-signer.ts');
  const [output, problems, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect({ code, problems }).toEqual({ code: 0, problems: '' });
  expect(new X509Certificate(output).checkHost('web.shop.example')).toBe('web.shop.example');
  expect(output.match(/-----BEGIN CERTIFICATE-----/g)).toHaveLength(1);
  expect(output).toContain('Denied: the subject alternative names are not permitted');
});

test(
  'kubectl-server.ts: its kubeconfig gives access to the server, and is removed with it',
  { timeout: 300_000 },
  async () => {
    const child = start('kubectl-server.ts');
    const file = await announced(child, 'kubeconfig in ');
    const config = parse(await readFile(file, 'utf8')) as {
      clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
      users: [{ user: { token: string } }];
    };
    const { server, 'certificate-authority-data': authority } = config.clusters[0].cluster;
    const authorization = `Bearer ${config.users[0].user.token}`;
    const answer = request(`${server}/api/v1/namespaces`, {
      ca: Buffer.from(authority, 'base64'),
      headers: { authorization },
      agent: false,
    });
    answer.end();
    const [response] = (await once(answer, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
    expect(response.statusCode).toBe(200);
    expect(await text(response)).toContain('"kube-system"');
    expect(await exit(child)).toBe(0);
    await expect(access(file)).rejects.toThrow('ENOENT');
  },
);
