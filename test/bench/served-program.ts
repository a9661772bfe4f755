/** The program `serve` as it is started, in a process of its own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BenchServer } from './load.js';
import type { BenchRequest } from './requests.js';

/** Token of the user of the measured requests, who has rights by a role. */
const TOKEN = 'bench';
/** Token of an administrator. */
const ADMIN_TOKEN = 'admin';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

/** The program, with the files of its certificate. */
export interface Served {
  readonly http: BenchServer;
  readonly https: BenchServer;
  readonly certificate: readonly [key: string, certificate: string];
  /** Sends one request over HTTP and returns the body of the answer. */
  ask(request: BenchRequest): Promise<string>;
  stop(): void;
}

/** CPU time of all threads of a process, in microseconds (Linux). */
function cpuUsOf(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return nanoseconds / 1000;
}

/**
 * Starts `orch-apiserver serve` with its defaults on an engine, with a user whose rights are those of a role.
 *
 * @param flagsIn flags of the engine, with a directory of its own
 */
export async function startProgram(flagsIn: (directory: string) => readonly string[]): Promise<Served> {
  const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
  const directory = mkdtempSync(join(tmpdir(), 'orch-bench-'));
  const users = [`${TOKEN},bench,bench`, `${ADMIN_TOKEN},admin,admin,system:masters`];
  writeFileSync(join(directory, 'tokens'), `${users.join('\n')}\n`);
  const child = spawn(
    process.execPath,
    [
      ...[main, 'serve', '--dialect=kubernetes', '--secure-port=auto', '--insecure-loopback-port=auto'],
      ...['--log-format=json', `--cert-dir=${directory}`, `--kubeconfig-out=${directory}/kubeconfig`],
      ...[`--token-auth-file=${directory}/tokens`, ...flagsIn(directory)],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const urls = await new Promise<readonly string[]>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
    createInterface(child.stderr).on('line', (line) => {
      if (line.includes('"message":"serving"')) resolve((JSON.parse(line) as { urls: string[] }).urls);
    });
  });
  const stop = (): void => {
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  };
  const at = (scheme: string): BenchServer => ({
    port: Number(new URL(urls.find((url) => url.startsWith(scheme)) ?? '').port),
    process: child,
    cpuUs: async () => cpuUsOf(child.pid ?? 0),
    stop,
  });
  const http = at('http:');
  const send = (request: BenchRequest, token: string): Promise<string> => answerOf(http.port, request, token);
  await send({ method: 'POST', path: BINDINGS, body: allRights() }, ADMIN_TOKEN);
  return {
    ...{ http, https: at('https:'), stop, ask: (request) => send(request, TOKEN) },
    certificate: [join(directory, 'apiserver.key'), join(directory, 'apiserver.crt')],
  };
}

const allRights = (): object => {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    metadata: { name: 'bench' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup, kind: 'User', name: 'bench' }],
  };
};

async function answerOf(
  port: number,
  { method, path, contentType, body }: BenchRequest,
  token: string,
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'accept-encoding': 'identity',
      ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
  return text;
}
