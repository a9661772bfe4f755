/**
 * The program of a build, whose version is that of the newest layout of stores that it knows.
 *
 * @module
 */
import { MessageChannel } from 'node:worker_threads';
import { pathToFileURL } from 'node:url';
import { processHost } from '../../../src/cli/host.js';
import { run } from '../../../src/cli/run.js';
import { LAYOUT_VERSIONS } from '../../../src/storage/store-layout.js';

const keepAlive = new MessageChannel();
keepAlive.port1.ref();
const root = pathToFileURL(`${process.cwd()}/`);
void run(process.argv.slice(2), processHost(root, [...LAYOUT_VERSIONS.values()].at(-1) ?? ''))
  .then((code) => (process.exitCode = code))
  .finally(() => keepAlive.port1.close());
