import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { createFakeHost } from './fake-host.js';

let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cli-run-'));
  await writeFile(join(directory, 'two-columns.csv'), 'secret-token,alice\n');
  await writeFile(join(directory, 'quote.csv'), 'secret-token,"al"ice,1\n');
  await writeFile(join(directory, 'no.pem'), 'nothing\n');
});
afterAll(() => rm(directory, { recursive: true }));

async function outcome(words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const host = createFakeHost();
  const code = await run(words.map((word) => word.replaceAll('DIR', directory)), host);
  return { code, out: host.out(), err: host.err() };
}

describe('help and version', () => {
  it.each([[[]], [['--help']], [['-h']]])('%j lists the commands', async (words) => {
    const { code, out, err } = await outcome(words);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('  serve     Serves the API until SIGTERM or SIGINT.\n');
  });

  it.each([[['serve', '--help']], [['serve', '-h', '--secure-port', '0']]])('%j lists the flags', async (words) => {
    const { code, out, err } = await outcome(words);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Usage:\n  orch-apiserver serve [flags]\n');
    expect(out).toContain('  --dialect NAME\n      The names that the API spells, one of orch, kubernetes. (default orch)\n');
  });

  it.each([[['--version']], [['serve', '--version']]])('%j says the version', async (words) => {
    expect(await outcome(words)).toEqual({ code: 0, out: 'orch-apiserver 1.2.3 (node20, linux/amd64)\n', err: '' });
  });
});

describe('one line on stderr and exit code 2', () => {
  it.each<[words: string[], line: string]>([
    [['start'], 'unknown command "start" for "orch-apiserver": one of serve'],
    [['--dialect=orch'], 'unknown flag: --dialect=orch (the flags follow the command: orch-apiserver serve --dialect=orch)'],
    [['serve', 'now'], 'unexpected argument "now"'],
    [['serve', '--client-ca-file=x'], 'unknown flag: --client-ca-file'],
    [['serve', '--dialect', 'klingon'], 'invalid argument "klingon" for "--dialect" flag: must be one of orch, kubernetes'],
    [['serve', '--feature-gates=Nothing=true'], 'invalid argument "Nothing=true" for "--feature-gates" flag: unrecognized feature gate: Nothing'],
    [['serve', '--feature-gates', 'ServerSideApply=false'], 'invalid argument "ServerSideApply=false" for "--feature-gates" flag: cannot set feature gate ServerSideApply to false, feature is locked to true'],
    [['serve', '--runtime-config=v1'], 'invalid argument "v1" for "--runtime-config" flag: runtime-config invalid key v1'],
    [['serve', '--secure-port=0', '--insecure-loopback-port=0'], 'nothing to listen on: --secure-port and --insecure-loopback-port are both 0'],
    [['serve', '--tls-cert-file=x'], '--tls-cert-file and --tls-private-key-file go together: give both, or none'],
    [['serve', '--tls-cert-file=DIR/none.pem', '--tls-private-key-file=x'], "--tls-cert-file: no such file or directory, open 'DIR/none.pem'"],
    [['serve', '--token-auth-file=DIR/none.csv'], "--token-auth-file: no such file or directory, open 'DIR/none.csv'"],
    [['serve', '--token-auth-file=DIR/two-columns.csv'], "--token-auth-file: token file 'DIR/two-columns.csv' must have at least 3 columns (token, user name, user uid), found 2"],
    [['serve', '--token-auth-file=DIR/quote.csv'], '--token-auth-file: parse error on line 1, column 17: extraneous or missing " in quoted-field'],
  ])('%j', async (words, line) => {
    expect(await outcome(words)).toEqual({ code: 2, out: '', err: `orch-apiserver: ${line.replaceAll('DIR', directory)}\n` });
  });

  it('says that files are no certificate and key, on one line', async () => {
    const { code, err } = await outcome(['serve', '--tls-cert-file=DIR/no.pem', '--tls-private-key-file=DIR/no.pem']);
    expect(code).toBe(2);
    expect(err).toMatch(/^orch-apiserver: --tls-cert-file, --tls-private-key-file: [^\n]+\n$/);
  });
});

describe('one line on stderr and exit code 1', () => {
  it('says that a port is taken, and opens none', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const taken = typeof address === 'object' && address !== null ? address.port : 0;
    const { code, err } = await outcome(['serve', '--secure-port=auto', '--cert-dir=DIR/pki', `--insecure-loopback-port=${taken}`, '--kubeconfig-out=DIR/never']);
    await new Promise((resolve) => other.close(resolve));
    expect({ code, err }).toEqual({ code: 1, err: `orch-apiserver: --insecure-loopback-port: listen EADDRINUSE: address already in use 127.0.0.1:${taken}\n` });
  });

  it('says that a file cannot be written', async () => {
    const { code, err } = await outcome(['serve', '--secure-port=0', '--insecure-loopback-port=auto', '--kubeconfig-out=DIR/no.pem/kubeconfig']);
    expect({ code, err }).toEqual({ code: 1, err: `orch-apiserver: --kubeconfig-out: file already exists, mkdir '${directory}/no.pem'\n` });
  });
});
