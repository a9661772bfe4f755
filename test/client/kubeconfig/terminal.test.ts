import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { configOf, Folder } from './workshop.js';

/** The program that runs another one in a terminal, in its Linux version. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;

const tsx = createRequire(import.meta.url).resolve('tsx/cli');
const program = fileURLToPath(new URL('terminal.ts', import.meta.url));

test.skipIf(!hasScript)(
  'on a real terminal the plugin prompts, and reads the input',
  { timeout: 300_000 },
  async () => {
    const folder = new Folder();
    folder.script(
      'plugin',
      `#!/bin/sh
printf 'Password: ' >&2
read answer
echo '{"apiVersion":"client.authentication.orch.io/v1","kind":"ExecCredential","status":{"token":"'$answer'"}}'
`,
    );
    const exec = { apiVersion: 'client.authentication.orch.io/v1', command: './plugin', interactiveMode: 'Always' };
    const config = folder.config('config', configOf({ server: 'https://server.example' }, { exec }));
    const child = spawn('script', ['-qec', `'${process.execPath}' '${tsx}' '${program}' '${config}'`, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (!text.includes('Password: ') && (text + chunk).includes('Password: ')) child.stdin.write('typed\n');
      text += chunk;
    });
    await once(child, 'close');
    expect(text).toContain('sent Bearer typed');
  },
);
