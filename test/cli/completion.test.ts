/** `completion`: scripts that complete the commands and flags of the program. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/run.js';
import { command } from './stores.js';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cli-completion-'));
  for (const name of ['my config.yaml', 'b$x`y.yaml']) await writeFile(join(directory, name), '');
  await mkdir(join(directory, 'a directory'));
  const { out } = await command(['completion', 'bash']);
  await writeFile(join(directory, 'script'), out);
});
afterAll(() => rm(directory, { recursive: true }));

/** Returns the words that bash completes, given words as its readline splits them. */
function completed(...words: string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const script = `source ./script; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _orch_apiserver; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['--norc', '-c', script], { cwd: directory, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');
}

describe('bash', () => {
  it('completes commands', () => {
    const names = commands.map(({ name }) => name);
    expect(completed('orch-apiserver', '')).toEqual([...names, 'help']);
    expect(completed('orch-apiserver', 'help', 'rest')).toEqual(['restore']);
  });

  it('completes the flags of each command', () => {
    for (const { name, flags } of commands)
      expect(completed('orch-apiserver', name, '--').sort()).toEqual(
        Object.keys(flags)
          .map((flag) => `--${flag}`)
          .sort(),
      );
  });

  it('completes values of flags, with and without an equals sign', () => {
    expect(completed('orch-apiserver', 'serve', '--dialect', '')).toEqual(['orch', 'kubernetes']);
    expect(completed('orch-apiserver', 'serve', '--dialect', '=')).toEqual(['orch', 'kubernetes']);
    expect(completed('orch-apiserver', 'serve', '--dialect', '=', 'k')).toEqual(['kubernetes']);
    expect(completed('orch-apiserver', 'serve', '--secure-port', '')).toEqual([]);
    expect(completed('orch-apiserver', 'completion', 'f')).toEqual(['fish']);
  });
});

describe('bash, for a file', () => {
  it.each([
    ['my', 'my config.yaml'],
    [String.raw`my\ c`, 'my config.yaml'],
    ['"my c', 'my config.yaml'],
    ['b$', 'b$x`y.yaml'],
    [String.raw`b\$`, 'b$x`y.yaml'],
    ['nothing', undefined],
  ])('completes %s', (word, found) => {
    expect(completed('orch-apiserver', 'serve', '--config', word)).toEqual(found === undefined ? [] : [found]);
  });

  it('completes a directory', () => {
    expect(completed('orch-apiserver', 'serve', '--data-dir', '')).toEqual(['a directory']);
  });
});

/** Calls the completion of zsh, and returns what it asks the shell to complete; undefined without zsh. */
async function askedByZsh(...words: string[]): Promise<string | undefined> {
  const { out } = await command(['completion', 'zsh']);
  const stubs = `_describe() { print -r -- "describe $2 $#commands" }; _arguments() { print -r -- "arguments of $words[1]" }; compdef() { : }`;
  const call = `words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}; _orch-apiserver`;
  const { stdout, error } = spawnSync('zsh', ['-f', '-c', `${stubs}\n${out}\n${call}`], { encoding: 'utf8' });
  return error === undefined ? stdout.trim() : undefined;
}

describe('zsh', () => {
  it.each([
    [['orch-apiserver', 'se'], `describe commands ${commands.length + 1}`],
    [['orch-apiserver', 'help', 'se'], `describe commands ${commands.length + 1}`],
    [['orch-apiserver', 'serve', '--dial'], 'arguments of serve'],
  ])('completes the last of %j', async (words, asked) => {
    expect([undefined, asked]).toContain(await askedByZsh(...words));
  });
});

describe.each(['bash', 'zsh', 'fish'])('the script of %s', (shell) => {
  it('has every command and flag, with its values', async () => {
    const { out, code, err } = await command(['completion', shell]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const { name, flags } of commands) {
      expect(out).toContain(name);
      for (const flag of Object.keys(flags)) expect(out).toContain(flag);
    }
    expect(out).toContain('orch kubernetes');
    // Every quote is closed: texts of help may have apostrophes.
    expect((out.replaceAll("\\'", '').match(/'/g) ?? []).length % 2).toBe(0);
  });
});

it.each([[[]], [['tcsh']], [['bash', 'zsh']]])('refuses %j', async (operands) => {
  expect(await command(['completion', ...operands])).toEqual({
    code: 2,
    out: '',
    err: 'orch-apiserver: completion needs one SHELL: bash, zsh, fish\n',
  });
});
