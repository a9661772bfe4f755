#!/usr/bin/env node
/**
 * The program `orch-apiserver`.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { processHost } from './host.js';
import { run } from './run.js';

// The source and the built file are both two folders below the package.
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string };

void run(process.argv.slice(2), processHost(version)).then((code) => (process.exitCode = code));
