#!/usr/bin/env node
/**
 * The program `orch-apiserver`.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { MessageChannel } from 'node:worker_threads';
import { keepCompiledCode } from './compiled-code.js';

// Only code that is loaded after this call is kept.
keepCompiledCode();
const [{ processHost }, { run }] = await Promise.all([import('./host.js'), import('./run.js')]);

// The source and the built file are both two folders below the package.
const root = new URL('../../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly version: string;
};

// The program's timers do not keep the process alive, and it may wait with nothing else open.
const keepAlive = new MessageChannel();
keepAlive.port1.ref();
// A closed pipe on stdout is not an error.
process.stdout.on('error', () => undefined);

void run(process.argv.slice(2), processHost(root, version))
  .then((code) => (process.exitCode = code))
  .finally(() => keepAlive.port1.close());
