/** Runs every command of docs/guides/server.md, docs/guides/durable.md and README.md, unchanged except for the ports. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toolMinor } from './kubectl.js';
import { COMMAND, Log } from './server.js';

/**
 * A block of the guide: preparation before a server starts, its start, commands, or the output of the commands before
 * it.
 */
interface Block {
  readonly kind: 'sh setup' | 'sh server' | 'sh' | 'text';
  readonly content: string;
}

/** The documents, and the ways in which they start a server. */
const documents = {
  'docs/guides/server.md': [
    'npm start -- --dialect kubernetes',
    'npm start',
    'npm start -- --token-auth-file tokens.csv --anonymous-auth=false',
    'npm start -- --request-timeout 30s --min-request-timeout 600',
  ],
  'docs/guides/durable.md': ['npm start -- --dialect kubernetes'],
  'README.md': ['npm start -- --dialect kubernetes'],
};

const textOf = (document: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${document}`, import.meta.url)), 'utf8');
const blocksOf = (text: string): Block[] =>
  [...text.matchAll(/^```(sh setup|sh server|sh|text)\n([^]*?)^```$/gm)].map(([, kind, content = '']) => ({
    kind: kind as Block['kind'],
    content,
  }));

/** A server, and the blocks that run against it. */
interface Chapter {
  readonly setup: readonly Block[];
  readonly start: string;
  readonly blocks: Block[];
}

function chaptersOf(all: readonly Block[]): Chapter[] {
  const chapters: Chapter[] = [];
  let setup: Block[] = [];
  for (const block of all) {
    if (block.kind === 'sh setup') setup.push(block);
    else if (block.kind === 'sh server') {
      chapters.push({ setup, start: block.content.trim(), blocks: [] });
      setup = [];
    } else chapters.at(-1)?.blocks.push(block);
  }
  return chapters;
}

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'orch-guide-'));
});
afterEach(() => rm(directory, { recursive: true }));

function shell(script: string): ChildProcess {
  return spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: directory,
    env: { PATH: process.env['PATH'], HOME: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs blocks in one shell, and compares their output with the guide. */
async function run(some: readonly Block[], ports: ReadonlyMap<string, string>): Promise<void> {
  const commands = some.filter(({ kind }) => kind !== 'text');
  // The program under its own name, as in an installed package.
  const program = COMMAND.slice(0, -1)
    .map((word) => `'${word}'`)
    .join(' ');
  let script = `orch-apiserver() { ${program} "$@"; }\n`;
  script += commands.map(({ content }, index) => `printf '\\n@@ ${index}\\n'\n${content}`).join('');
  for (const [written, real] of ports) script = script.replaceAll(written, real);
  const child = shell(script);
  let out = '';
  let err = '';
  child.stdout?.on('data', (text) => (out += String(text)));
  child.stderr?.on('data', (text) => (err += String(text)));
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code, `${out}${err}`).toBe(0);
  const printed = out.split(/\n@@ \d+\n/).slice(1);
  expect(printed).toHaveLength(commands.length);
  commands.forEach((command, index) => {
    const after = some[some.indexOf(command) + 1];
    if (after?.kind === 'text') expect(printed[index]).toBe(after.content);
    else expect(printed[index]).not.toMatch(/"status": ?"Failure"/);
  });
}

describe.each(Object.entries(documents))('%s', (document, starts) => {
  const text = textOf(document);
  const blocks = blocksOf(text);
  const chapters = chaptersOf(blocks);

  it('has a chapter for each way to start', () => {
    expect(chapters.map(({ start }) => start)).toEqual(starts);
    // A block that is neither a command nor an output is a snippet of code, which test/docs.test.ts runs.
    expect(text.match(/^```(?!ts$)[a-z]/gm)).toHaveLength(blocks.length);
  });

  for (const { setup, start, blocks: commands } of chapters) {
    const needsTool = commands.some(({ content }) => content.includes('kubectl'));
    it.skipIf(needsTool && toolMinor === undefined)(
      `every command after ${start} prints what the document shows`,
      { timeout: 300_000 },
      async () => {
        await run(setup, new Map());
        const program = COMMAND.map((word) => `'${word}'`).join(' ');
        const server = shell(
          `${start.replace(/^npm start( --)?/, `exec ${program}`)} --secure-port=auto --insecure-loopback-port=auto`,
        );
        const exited = once(server, 'exit') as Promise<[number | null]>;
        try {
          const { urls } = JSON.parse(await new Log(server).serving(exited)) as { urls: [string, string] };
          await run(
            commands,
            new Map([
              ['https://127.0.0.1:6443', urls[0]],
              ['http://127.0.0.1:6480', urls[1]],
            ]),
          );
        } finally {
          server.kill('SIGTERM');
        }
        expect((await exited)[0]).toBe(0);
      },
    );
  }
});
