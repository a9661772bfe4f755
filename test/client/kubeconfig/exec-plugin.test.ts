import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { relative } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  createConnection,
  CredentialError,
  parseKubeConfig,
  type Connection,
  type ExecOptions,
} from '../../../src/client/kubeconfig/index.js';
import { formatTime, type JsonObject } from '../../../src/foundation/index.js';
import { kubernetes, type Dialect } from '../../../src/foundation/index.js';
import { createManualClock, type ManualClock } from '../../../src/entries/testing.js';
import { nodeHttpClient } from '../../../src/transport/node/outbound/http-client.js';
import {
  afterTest,
  base64,
  clientIdentity,
  configOf,
  Folder,
  startServer,
  type Answer,
  type Identity,
  type Seen,
} from './workshop.js';

const V1 = 'client.authentication.orch.io/v1';

let jane: Identity;
let joe: Identity;

beforeAll(() => {
  jane = clientIdentity('jane');
  joe = clientIdentity('joe');
});

const answerWith = (status: JsonObject, apiVersion = V1): string =>
  JSON.stringify({ apiVersion, kind: 'ExecCredential', status });

interface Setup {
  /** Fields of the exec entry, besides the common ones. */
  readonly exec?: JsonObject;
  readonly cluster?: JsonObject;
  readonly options?: ExecOptions;
  readonly dialect?: Dialect;
  readonly answer?: (seen: Seen) => Answer;
}

interface Stage {
  readonly folder: Folder;
  readonly connection: Connection;
  readonly clock: ManualClock;
  readonly seen: readonly Seen[];
  readonly reported: readonly string[];
  readonly url: string;
  readonly ca: string;
}

/** A server, and a connection to it whose plugin is the file `plugin` in a directory. */
async function stage(setup: Setup = {}): Promise<Stage> {
  const { exec, cluster, options, dialect, answer } = setup;
  const { url, ca, seen } = await startServer(answer);
  const folder = new Folder();
  const clock = createManualClock();
  const reported: string[] = [];
  const http = nodeHttpClient();
  afterTest(() => http.close());
  const user = { exec: { apiVersion: V1, command: './plugin', interactiveMode: 'Never', ...exec } };
  const config = await parseKubeConfig(
    JSON.stringify(configOf({ server: url, 'certificate-authority-data': base64(ca), ...cluster }, user)),
    { directory: folder.path, ...(dialect === undefined ? {} : { dialect }) },
  );
  const connection = await createConnection(config, {
    http,
    clock,
    warn: ({ message }) => reported.push(message),
    ...(options === undefined ? {} : { exec: options }),
    ...(dialect === undefined ? {} : { dialect }),
  });
  return { folder, connection, clock, seen, reported, url, ca };
}

/** A plugin that adds a line to `runs` and prints the file `answer`. */
const printing = '#!/bin/sh\ncd "$(dirname "$0")"\necho run >> runs\ncat answer\n';

async function problem(connection: Connection): Promise<string> {
  const error: unknown = await connection.request().catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(CredentialError);
  return (error as Error).message;
}

/** Resolves when the plugin has written a line into a file. */
async function made(folder: Folder, name: string): Promise<void> {
  const changes = watch(folder.path);
  const hasRun = (): boolean => folder.lines(name) > 0;
  if (!hasRun()) for await (const _ of changes) if (hasRun()) return;
}

/** Resolves when a process has ended. */
async function ended(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve));
}

function isAlive(pid: number): boolean {
  try {
    // A zombie process counts as ended.
    return !/^Z/.test(execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }));
  } catch {
    return false;
  }
}

describe('the input of a plugin', () => {
  const writeInput = `#!/usr/bin/env node
const { writeFileSync, readFileSync } = require('node:fs');
writeFileSync(__dirname + '/input.json', JSON.stringify({
  info: process.env.ORCH_EXEC_INFO ?? process.env.KUBERNETES_EXEC_INFO,
  args: process.argv.slice(2), cwd: process.cwd(), inherited: process.env.INHERITED, own: process.env.OWN, stdin: readFileSync(0, 'utf8'),
}));
process.stdout.write(readFileSync(__dirname + '/answer'));
`;

  async function inputOf(setup: Setup): Promise<Stage & { readonly input: { readonly info: string } & JsonObject }> {
    const staged = await stage(setup);
    staged.folder.script('plugin', writeInput);
    staged.folder.write(
      'answer',
      answerWith({ token: 'abc' }, typeof setup.exec?.['apiVersion'] === 'string' ? setup.exec['apiVersion'] : V1),
    );
    expect((await staged.connection.request()).status).toBe(200);
    return { ...staged, input: JSON.parse(staged.folder.read('input.json')) as { info: string } & JsonObject };
  }

  test('has arguments, the inherited environment, overriding variables, and an empty standard input', async () => {
    const env = { ...process.env, INHERITED: 'yes', OWN: 'no' };
    const { input } = await inputOf({
      exec: {
        args: ['a b', '$HOME', ';'],
        env: [
          { name: 'OWN', value: 'first' },
          { name: 'OWN', value: 'last' },
          { name: 'ORCH_EXEC_INFO', value: 'x' },
        ],
      },
      options: { env },
    });
    expect(input).toMatchObject({
      args: ['a b', '$HOME', ';'],
      inherited: 'yes',
      own: 'last',
      cwd: process.cwd(),
      stdin: '',
    });
    expect(input.info).toBe(
      '{"kind":"ExecCredential","apiVersion":"client.authentication.orch.io/v1","spec":{"interactive":false}}\n',
    );
  });

  test('has the cluster, if the entry requests it', async () => {
    const extensions = [
      { name: 'other', extension: 1 },
      { name: 'client.authentication.orch.io/exec', extension: { audience: '<a>&b', list: [1, null] } },
    ];
    const { input, url, ca } = await inputOf({
      exec: { provideClusterInfo: true },
      cluster: { 'tls-server-name': 'localhost', 'disable-compression': true, extensions },
    });
    expect(JSON.parse(input.info)).toEqual({
      kind: 'ExecCredential',
      apiVersion: V1,
      spec: {
        cluster: {
          server: url,
          'tls-server-name': 'localhost',
          'certificate-authority-data': base64(ca),
          'disable-compression': true,
          config: { audience: '<a>&b', list: [1, null] },
        },
        interactive: false,
      },
    });
    expect(input.info).toContain('\\u003ca\\u003e\\u0026b');
  });

  test('has the content of an authority file, and the path of the server without its query', async () => {
    const { url, ca } = await startServer();
    const ours = new Folder();
    const file = ours.write('ca.crt', ca);
    const { input } = await inputOf({
      exec: { provideClusterInfo: true },
      cluster: { server: `${url}/base/?a=b`, 'certificate-authority-data': '', 'certificate-authority': file },
    });
    expect(JSON.parse(input.info)).toMatchObject({
      spec: { cluster: { server: `${url}/base/`, 'certificate-authority-data': base64(ca), config: null } },
    });
  });

  test('has the version v1beta1, and the names of another dialect', async () => {
    const apiVersion = 'client.authentication.k8s.io/v1beta1';
    const { input } = await inputOf({
      exec: { apiVersion, interactiveMode: '' },
      dialect: kubernetes,
      options: { stdinIsTerminal: () => false },
    });
    expect(JSON.parse(input.info)).toEqual({ kind: 'ExecCredential', apiVersion, spec: { interactive: false } });
  });

  test('a command without a path is looked up in PATH; a directory or a file that is not executable does not count', async () => {
    const [first, second, third] = [new Folder(), new Folder(), new Folder()];
    mkdirSync(first.join('my-plugin'));
    second.write('my-plugin', printing);
    third.script('my-plugin', printing);
    third.write('answer', answerWith({ token: 'abc' }));
    const path = `${first.path}:${second.path}:${third.path}:/usr/bin:/bin`;
    const { connection } = await stage({ exec: { command: 'my-plugin' }, options: { env: { PATH: path } } });
    await connection.request();
    expect(third.lines('runs')).toBe(1);
  });

  test('a relative directory in PATH is skipped', async () => {
    const folder = new Folder();
    folder.script('my-plugin', printing);
    const { connection } = await stage({
      exec: { command: 'my-plugin' },
      options: { env: { PATH: `:.:${relative(process.cwd(), folder.path)}` } },
    });
    expect(await problem(connection)).toMatch(/^getting credentials: exec: executable my-plugin not found\n/);
  });
});

describe('the output of a plugin', () => {
  test('a token', async () => {
    const { folder, connection, seen } = await stage();
    folder.script('plugin', printing);
    folder.write('answer', answerWith({ token: 'abc' }));
    await connection.request();
    expect(seen[0]?.headers.authorization).toBe('Bearer abc');
  });

  test('in YAML', async () => {
    const { folder, connection, seen } = await stage();
    folder.script('plugin', printing);
    folder.write('answer', `apiVersion: ${V1}\nkind: ExecCredential\nspec: 5\nother: 1\nstatus: {token: abc}\n`);
    await connection.request();
    expect(seen[0]?.headers.authorization).toBe('Bearer abc');
  });

  test('certificate and key, alone and with a token', async () => {
    const { folder, connection, clock, seen } = await stage();
    const pair = {
      clientCertificateData: jane.certificate,
      clientKeyData: jane.key,
      expirationTimestamp: formatTime(clock.now()),
    };
    folder.script('plugin', printing);
    folder.write('answer', answerWith(pair));
    await connection.request();
    await clock.advance(1);
    folder.write(
      'answer',
      answerWith({
        ...pair,
        clientCertificateData: `${joe.certificate}${jane.certificate}`,
        clientKeyData: joe.key,
        token: 'abc',
      }),
    );
    await connection.request();
    expect(seen.map(({ commonName, headers }) => [commonName, headers.authorization])).toEqual([
      ['jane', undefined],
      ['joe', 'Bearer abc'],
    ]);
  });

  const wrong: readonly (readonly [name: string, answer: () => string, message: string])[] = [
    ['nothing', () => '', 'decoding stdout: not an ExecCredential object'],
    ['words', () => 's3cret words', 'decoding stdout: not an ExecCredential object'],
    ['a list', () => '["s3cret"]', 'decoding stdout: not an ExecCredential object'],
    ['truncated JSON', () => '{"status": {"token": "s3cret', 'decoding stdout: neither JSON nor YAML'],
    ['bytes that are no text', () => '\x00\xffs3cret', 'decoding stdout: neither JSON nor YAML'],
    ['endless nesting', () => '['.repeat(5000), 'decoding stdout: neither JSON nor YAML'],
    [
      'no kind',
      () => JSON.stringify({ apiVersion: V1, status: { token: 's3cret' } }),
      "decoding stdout: Object 'Kind' is missing",
    ],
    [
      'no version',
      () => JSON.stringify({ kind: 'ExecCredential', status: { token: 's3cret' } }),
      "decoding stdout: Object 'apiVersion' is missing",
    ],
    [
      'another kind',
      () => JSON.stringify({ apiVersion: V1, kind: 's3cret', status: { token: 's3cret' } }),
      'decoding stdout: the kind is not ExecCredential',
    ],
    [
      'another version',
      () => answerWith({ token: 's3cret' }, 'client.authentication.orch.io/v1beta1'),
      `exec plugin is configured to use API version ${V1}, plugin returned version client.authentication.orch.io/v1beta1`,
    ],
    [
      'an unknown version',
      () => answerWith({ token: 's3cret' }, 'eyJs3cret'),
      `exec plugin is configured to use API version ${V1}, plugin returned version another`,
    ],
    [
      'no status',
      () => JSON.stringify({ apiVersion: V1, kind: 'ExecCredential' }),
      "exec plugin didn't return a status field",
    ],
    ['an empty status', () => answerWith({ token: '' }), "exec plugin didn't return a token or cert/key pair"],
    [
      'a key alone',
      () => answerWith({ clientKeyData: jane.key }),
      'exec plugin returned only certificate or key, not both',
    ],
    [
      'a certificate alone, beside a token',
      () => answerWith({ clientCertificateData: jane.certificate, token: 's3cret' }),
      'exec plugin returned only certificate or key, not both',
    ],
    [
      'a number for a token',
      () => answerWith({ token: 123456789 }),
      'decoding stdout: status.token: expected a string, got a number',
    ],
    [
      'an invalid status',
      () => JSON.stringify({ apiVersion: V1, kind: 'ExecCredential', status: 's3cret' }),
      'decoding stdout: status: expected an object, got a string',
    ],
    [
      'an invalid time',
      () => answerWith({ token: 's3cret', expirationTimestamp: '2024-01-01 s3cret' }),
      'decoding stdout: status.expirationTimestamp: not an RFC 3339 time',
    ],
    [
      'an invalid certificate',
      () => answerWith({ clientCertificateData: 's3cret', clientKeyData: 's3cret' }),
      'failed parsing client key/certificate: tls: failed to find any PEM data in certificate input',
    ],
    [
      'an invalid key',
      () => answerWith({ clientCertificateData: jane.certificate, clientKeyData: 's3cret' }),
      'failed parsing client key/certificate: tls: failed to find any PEM data in key input',
    ],
    [
      'a damaged key',
      () =>
        answerWith({
          clientCertificateData: jane.certificate,
          clientKeyData: '-----BEGIN PRIVATE KEY-----\ns3cret\n-----END PRIVATE KEY-----',
        }),
      'failed parsing client key/certificate: tls: failed to parse private key',
    ],
    [
      'a certificate and the key of another one',
      () => answerWith({ clientCertificateData: jane.certificate, clientKeyData: joe.key }),
      'failed parsing client key/certificate: tls: private key does not match public key',
    ],
  ];
  test.each(wrong)('%s is an error that discloses no part of it', async (_, answer, message) => {
    const { folder, connection, seen } = await stage();
    folder.script('plugin', printing);
    folder.write('answer', answer());
    expect(await problem(connection)).toBe(`getting credentials: ${message}`);
    expect(seen).toEqual([]);
  });
});

describe('a failing plugin', () => {
  const silent: ExecOptions = { stderr: () => undefined };

  test('the exit code is reported, the output is not, and its standard error is passed through', async () => {
    const received: string[] = [];
    const { folder, connection } = await stage({
      options: { stderr: (chunk) => received.push(Buffer.from(chunk).toString()) },
    });
    folder.script('plugin', '#!/bin/sh\necho s3cret\necho "log in first" >&2\nexit 3\n');
    expect(await problem(connection)).toBe(
      `getting credentials: exec: executable ${folder.join('plugin')} failed with exit code 3`,
    );
    expect(received.join('')).toBe('log in first\n');
  });

  test('it is killed', async () => {
    const { folder, connection } = await stage({ options: silent });
    folder.script('plugin', '#!/bin/sh\nkill -TERM $$\n');
    expect(await problem(connection)).toBe(
      `getting credentials: exec: executable ${folder.join('plugin')} failed with exit code -1 (SIGTERM)`,
    );
  });

  test('it hangs: it is ended with all processes that it has started', async () => {
    const { folder, connection, clock } = await stage({ options: silent });
    folder.script('plugin', '#!/bin/sh\ncd "$(dirname "$0")"\nsleep 600 &\necho $! > child\necho $$ > self\nwait\n');
    const asked = problem(connection);
    await made(folder, 'self');
    const pids = [Number(folder.read('child')), Number(folder.read('self'))];
    expect(pids.map(isAlive)).toEqual([true, true]);
    await clock.advance(59_999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await asked).toBe(`getting credentials: exec: executable ${folder.join('plugin')} did not end within 60 s`);
    await Promise.all(pids.map(ended));
  });

  test('it exceeds a custom time limit', async () => {
    const { folder, connection, clock } = await stage({ options: { ...silent, timeout: 1500 } });
    folder.script('plugin', '#!/bin/sh\necho >> "$(dirname "$0")/made"\nexec sleep 600\n');
    const asked = problem(connection);
    await made(folder, 'made');
    await clock.advance(1500);
    expect(await asked).toMatch(/did not end within 1.5 s$/);
  });

  test('it prints endlessly', async () => {
    const { folder, connection } = await stage({ options: silent });
    folder.script('plugin', '#!/bin/sh\nexec yes s3cret\n');
    expect(await problem(connection)).toBe(
      `getting credentials: exec: executable ${folder.join('plugin')} printed more than 1048576 bytes`,
    );
  });

  test('it prints more than a custom limit', async () => {
    const answer = answerWith({ token: 'abc' });
    const run = async (maxOutputBytes: number): Promise<Connection> => {
      const { folder, connection } = await stage({ options: { ...silent, maxOutputBytes } });
      folder.script('plugin', printing);
      folder.write('answer', answer);
      return connection;
    };
    expect((await (await run(answer.length)).request()).status).toBe(200);
    expect(await problem(await run(answer.length - 1))).toMatch(/printed more than \d+ bytes$/);
  });

  test('it is missing: the hint is shown, without terminal control characters', async () => {
    const { connection } = await stage({
      exec: { command: 'no-such-plugin', installHint: 'run\tthis:\n  \u001b[1minstall\u0007 ü' },
    });
    expect(await problem(connection)).toBe(
      'getting credentials: exec: executable no-such-plugin not found\n\n' +
        'It looks like you are trying to use a client-go credential plugin that is not installed.\n\n' +
        'To learn more about this feature, consult the documentation available at:\n' +
        '      https://orch.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins\n\n' +
        'run\tthis:\n  U+001B[1minstallU+0007 ü',
    );
  });

  test('it is missing from its path: the hint is shown too', async () => {
    const { folder, connection } = await stage({ exec: { installHint: 'a hint' } });
    expect(await problem(connection)).toMatch(
      new RegExp(
        `^getting credentials: exec: fork/exec ${folder.join('plugin')}: no such file or directory\n\nIt looks like[^]*\n\na hint$`,
      ),
    );
  });

  test('it is missing for long: the hint appears ten times an hour', async () => {
    const { connection, clock } = await stage({ exec: { command: 'no-such-plugin' } });
    const messages: string[] = [];
    for (let count = 0; count < 12; count += 1) messages.push(await problem(connection));
    expect(messages.map((message) => message.includes('It looks like'))).toEqual([
      ...Array<boolean>(10).fill(true),
      false,
      false,
    ]);
    await clock.advance(3_600_000);
    expect(await problem(connection)).toContain('It looks like');
  });

  test('it is not executable', async () => {
    const { folder, connection } = await stage({ exec: { installHint: 'a hint' } });
    folder.write('plugin', printing);
    expect(await problem(connection)).toBe(
      `getting credentials: exec: fork/exec ${folder.join('plugin')}: permission denied`,
    );
  });

  test('its input cannot be built', async () => {
    const long = await stage({ exec: { env: [{ name: 'LONG', value: `s3cret${'x'.repeat(200_000)}` }] } });
    long.folder.script('plugin', printing);
    expect(await problem(long.connection)).toBe(
      `getting credentials: exec: fork/exec ${long.folder.join('plugin')}: argument list too long`,
    );
    const zero = await stage({ exec: { args: ['s3cret\0'] } });
    zero.folder.script('plugin', printing);
    expect(await problem(zero.connection)).toBe(
      `getting credentials: exec: fork/exec ${zero.folder.join('plugin')}: invalid argument`,
    );
  });

  test('it recovers: a failure is not cached', async () => {
    const { folder, connection } = await stage({ options: silent });
    folder.script('plugin', '#!/bin/sh\nexit 1\n');
    await problem(connection);
    folder.script('plugin', printing);
    folder.write('answer', answerWith({ token: 'abc' }));
    expect((await connection.request()).status).toBe(200);
  });
});

describe('the lifetime of credentials', () => {
  /** A plugin whose token contains the number of its run. */
  const counting = (extra = ''): string => `#!/bin/sh
cd "$(dirname "$0")"
echo run >> runs
echo '{"apiVersion":"${V1}","kind":"ExecCredential","status":{"token":"token-'$(wc -l < runs | tr -d ' ')'"${extra}}}'
`;

  const tokens = (seen: readonly Seen[]): (string | undefined)[] =>
    seen.map(({ headers }) => headers.authorization?.replace('Bearer ', ''));

  test('credentials are used until they expire, and not a moment longer', async () => {
    const { folder, connection, clock, seen } = await stage();
    folder.script(
      'plugin',
      counting(`,"expirationTimestamp":"${formatTime(clock.now() + 60_000).replace('Z', '+00:00')}"`),
    );
    for (const wait of [0, 59_999, 1, 1]) {
      await clock.advance(wait);
      await connection.request();
    }
    expect(tokens(seen)).toEqual(['token-1', 'token-1', 'token-1', 'token-2']);
  });

  test('credentials without an expiry are used as long as the process lives', async () => {
    const { folder, connection, clock } = await stage();
    folder.script('plugin', counting());
    for (let count = 0; count < 3; count += 1) {
      await connection.request();
      await clock.advance(1_000_000_000);
    }
    expect(folder.lines('runs')).toBe(1);
  });

  test('concurrent requests share one run', async () => {
    const { folder, connection, seen } = await stage();
    folder.script('plugin', counting());
    await Promise.all(Array.from({ length: 10 }, () => connection.request()));
    expect(folder.lines('runs')).toBe(1);
    expect(new Set(tokens(seen))).toEqual(new Set(['token-1']));
  });

  test('a failure is shared by all waiting requests too', async () => {
    const { folder, connection } = await stage({ options: { stderr: () => undefined } });
    folder.script('plugin', '#!/bin/sh\necho run >> "$(dirname "$0")/runs"\nexit 1\n');
    await Promise.all(Array.from({ length: 5 }, () => problem(connection)));
    expect(folder.lines('runs')).toBe(1);
  });

  test('after a 401 the plugin runs again and the request is repeated, with its body', async () => {
    const { folder, connection, seen } = await stage({
      answer: ({ headers }) => (headers.authorization === 'Bearer token-2' ? 201 : 401),
    });
    folder.script('plugin', counting());
    expect((await connection.request({ method: 'POST', body: 'text' })).status).toBe(201);
    expect(seen.map(({ method, body }) => `${method} ${body}`)).toEqual(['POST text', 'POST text']);
    expect((await connection.request()).status).toBe(201);
    expect(tokens(seen)).toEqual(['token-1', 'token-2', 'token-2']);
  });

  test('a 401 to the repeated request is the answer', async () => {
    const { folder, connection, seen } = await stage({ answer: () => 401 });
    folder.script('plugin', counting());
    expect((await connection.request()).status).toBe(401);
    expect(tokens(seen)).toEqual(['token-1', 'token-2']);
  });

  test('concurrent 401s cause one run', async () => {
    const { folder, connection, seen } = await stage({
      answer: ({ headers }) => (headers.authorization === 'Bearer token-1' ? 401 : 200),
    });
    folder.script('plugin', counting());
    const answers = await Promise.all(Array.from({ length: 8 }, () => connection.request()));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(8).fill(200));
    expect(folder.lines('runs')).toBe(2);
    expect(new Set(tokens(seen))).toEqual(new Set(['token-1', 'token-2']));
  });

  test('if the plugin fails after a 401, the 401 is the answer and the failure is reported', async () => {
    const { folder, connection, seen, reported } = await stage({
      answer: () => 401,
      options: { stderr: () => undefined },
    });
    folder.script('plugin', counting());
    const answers: number[] = [(await connection.request()).status];
    folder.script('plugin', '#!/bin/sh\nexit 9\n');
    answers.push((await connection.request()).status);
    expect(answers).toEqual([401, 401]);
    expect(reported).toEqual([
      `refreshing credentials: exec: executable ${folder.join('plugin')} failed with exit code 9`,
    ]);
    expect(tokens(seen)).toEqual(['token-1', 'token-2', 'token-2']);
  });

  test('a request with its own credentials needs none', async () => {
    const { folder, connection, seen } = await stage();
    folder.script('plugin', counting());
    await connection.request({ headers: { authorization: 'Bearer own' } });
    expect(tokens(seen)).toEqual(['own']);
    expect(folder.lines('runs')).toBe(0);
  });

  test('a user with a token does not run the plugin', async () => {
    const { url, ca, seen } = await startServer();
    const http = nodeHttpClient();
    afterTest(() => http.close());
    const user = { token: 'own', exec: { apiVersion: V1, command: '/none', interactiveMode: 'Never' } };
    const config = await parseKubeConfig(
      JSON.stringify(configOf({ server: url, 'certificate-authority-data': base64(ca) }, user)),
    );
    await (await createConnection(config, { http })).request();
    expect(tokens(seen)).toEqual(['own']);
  });

  test('an aborted request stops waiting; the run continues for the others', async () => {
    const { folder, connection, seen } = await stage();
    folder.script(
      'plugin',
      `#!/bin/sh\ncd "$(dirname "$0")"\necho >> started\nwhile [ ! -e go ]; do sleep 0.02; done\nexec ./answer\n`,
    );
    folder.script('answer', counting());
    const controller = new AbortController();
    const reason = new Error('enough');
    const impatient = connection.request({ signal: controller.signal });
    const patient = connection.request();
    await made(folder, 'started');
    controller.abort(reason);
    await expect(impatient).rejects.toBe(reason);
    await expect(connection.request({ signal: controller.signal })).rejects.toBe(reason);
    folder.write('go', '');
    expect((await patient).status).toBe(200);
    expect(folder.lines('started')).toBe(1);
    expect(seen).toHaveLength(1);
  });
});

describe('standard input', () => {
  const spec = `#!/bin/sh
cd "$(dirname "$0")"
printf %s "$ORCH_EXEC_INFO" > info
echo '{"apiVersion":"${V1}","kind":"ExecCredential","status":{"token":"abc"}}'
`;
  const terminal = (is: boolean, stdinUnavailable?: string): ExecOptions => ({
    stdinIsTerminal: () => is,
    ...(stdinUnavailable === undefined ? {} : { stdinUnavailable }),
  });

  test.each([
    ['Never', terminal(true), false],
    ['IfAvailable', terminal(true), true],
    ['IfAvailable', terminal(false), false],
    ['IfAvailable', terminal(true, 'used for a manifest'), false],
    ['Always', terminal(true), true],
  ])('mode %s, %o: the plugin reads %s', async (interactiveMode, options, interactive) => {
    const { folder, connection } = await stage({ exec: { interactiveMode }, options });
    folder.script('plugin', spec);
    await connection.request();
    expect(JSON.parse(folder.read('info'))).toMatchObject({ spec: { interactive } });
  });

  test.each([
    [terminal(false), 'standard input is not a terminal'],
    [terminal(true, ''), 'standard input is unavailable'],
    [terminal(true, 'used for a manifest'), 'standard input is unavailable: used for a manifest'],
  ])('mode Always, %o: the plugin does not run', async (options, message) => {
    const { folder, connection } = await stage({ exec: { interactiveMode: 'Always' }, options });
    folder.script('plugin', spec);
    expect(await problem(connection)).toBe(
      `getting credentials: exec plugin cannot support interactive mode: ${message}`,
    );
    expect(folder.lines('info')).toBe(0);
  });
});
