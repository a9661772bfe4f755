/**
 * Starts the server with a command, uses it as a new user would, stops it, and starts it again with its stored state.
 *
 *     node scripts/try-program.js npm start --
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const START_MS = 60_000;
const END_MS = 20_000;

const [command, ...words] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'orch-try-'));
const kubeconfig = join(directory, 'kubeconfig');
const flags = [
  '--secure-port=auto',
  '--insecure-loopback-port=auto',
  `--cert-dir=${directory}`,
  `--kubeconfig-out=${kubeconfig}`,
  `--data-dir=${directory}/data`,
];
let child;
const giveUp = setTimeout(() => killGroup('SIGKILL'), 2 * (START_MS + END_MS));

try {
  await whileServing(async ({ secure, plain, owner }) => {
    const configMaps = `${plain}/api/v1/namespaces/default/configmaps`;
    assert.equal((await fetch(`${plain}/readyz`)).status, 200);
    assert.equal((await fetch(configMaps)).status, 403, 'without credentials');
    assert.equal(
      (await fetch(configMaps, { method: 'POST', headers: owner, body: '{"metadata": {"name": "hello"}}' })).status,
      201,
    );
    assert.match(await overTls(`${secure}/api/v1/namespaces/default/configmaps/hello`, owner), /"name":"hello"/);
  });
  await whileServing(async ({ plain, owner }) => {
    assert.equal(
      (await fetch(`${plain}/api/v1/namespaces/default/configmaps/hello`, { headers: owner })).status,
      200,
      'after a restart',
    );
  });
} finally {
  clearTimeout(giveUp);
  killGroup('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}

/** Starts the server, runs work, and stops the server. */
async function whileServing(work) {
  // A separate process group, so that no child process of the command is left behind.
  child = spawn(command, [...words, ...flags], { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  // Wait for the last process of the group that holds the pipe, because the next server needs its store.
  const ended = once(child, 'close');
  const { secure, plain } = await urls();
  const token = /token: (\S+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1];
  await work({ secure, plain, owner: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } });
  killGroup('SIGTERM');
  const [code, signal] = await ended;
  // A shell or package manager in between may itself end with the signal.
  assert.ok(code === 0 || code === 143 || signal === 'SIGTERM', `ended with ${code ?? signal}`);
  console.log(`served ${secure} and ${plain}`);
}

/** Returns the URLs from the log of the server. */
async function urls() {
  const said = [];
  for await (const line of createInterface(child.stderr)) {
    said.push(line);
    const entry = line.startsWith('{') ? JSON.parse(line) : {};
    if (!Array.isArray(entry.urls)) continue;
    child.stderr.resume();
    return {
      secure: entry.urls.find((url) => url.startsWith('https:')),
      plain: entry.urls.find((url) => url.startsWith('http:')),
    };
  }
  throw new Error(`${command} ended before it served:\n${said.join('\n')}`);
}

/** Returns the body of a response, verified with the authority in the certificate directory. */
async function overTls(url, headers) {
  const [response] = await once(
    get(url, { ca: readFileSync(join(directory, 'ca.crt')), headers, agent: false }),
    'response',
  );
  assert.equal(response.statusCode, 200);
  return text(response);
}

function killGroup(signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The process has already exited.
  }
}
