/** `serve --config`, and the schema of its files. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fileSchema } from '../../src/cli/flags/file-schema.js';
import { flagsInFiles, valuesInFile } from '../../src/cli/flags/file-values.js';
import { completeValues, givenFlags } from '../../src/cli/flags/parse.js';
import { serveFlags } from '../../src/cli/serve/flags.js';
import type { JsonValue } from '../../src/foundation/index.js';
import { plain, ServingTests, stop } from './serving.js';
import { command } from './stores.js';

const tests = new ServingTests();

const parsed = (content: JsonValue, ...words: string[]) =>
  completeValues(serveFlags, givenFlags(serveFlags, words), valuesInFile(serveFlags, content));

/** The value of a file that has the meaning of the text of a flag. */
function inFile(form: string | undefined, text: string): JsonValue {
  if (form === 'boolean') return text === 'true';
  if (form === 'number') return Number(text);
  if (form === 'quantity' && /^\d+$/.test(text)) return Number(text);
  return form === 'list' ? text.split(',').filter((item) => item !== '') : text;
}

describe('values in a file', () => {
  it.each(Object.entries(flagsInFiles(serveFlags)).filter(([, { shown }]) => shown !== ''))(
    'are those of the flag %s',
    (name, { form, shown, parse }) => {
      const value = inFile(form, shown);
      expect(valuesInFile(serveFlags, { [name]: value }).get(name)).toEqual(parse(shown, undefined));
    },
  );

  it('are numbers, truth values, lists and mappings', () => {
    expect(
      parsed({
        'secure-port': 0,
        'insecure-loopback-port': 'auto',
        'anonymous-auth': false,
        'accept-hosts': ['a', 'b,"c', ''],
        'service-account-issuer': ['https://a,b', 'https://c'],
        'feature-gates': { WatchList: true, HPAScaleToZero: false },
        'runtime-config': 'api/beta=false',
        controllers: ['*', '-podgc'],
        'max-request-body-size': '2Mi',
        'webhook-service': ['a/b=https://127.0.0.1:1', 'a/c=https://127.0.0.1:2'],
        v: 3,
      }),
    ).toMatchObject({
      'secure-port': 'none',
      'insecure-loopback-port': 'any',
      'anonymous-auth': false,
      'accept-hosts': ['a', 'b,"c', ''],
      'service-account-issuer': ['https://a,b', 'https://c'],
      'feature-gates': 'WatchList=true,HPAScaleToZero=false',
      'runtime-config': 'api/beta=false',
      controllers: '*,-podgc',
      'max-request-body-size': 2 * 1024 * 1024,
      'webhook-service': new Map([
        ['a/b', new URL('https://127.0.0.1:1')],
        ['a/c', new URL('https://127.0.0.1:2')],
      ]),
      v: 3,
    });
  });

  it('are replaced by flags, which do not add to their lists', () => {
    const content = { 'accept-hosts': ['a'], v: 3, 'audit-log-maxage': 5 };
    const values = parsed(content, '--accept-hosts=b', '--accept-hosts=c', '-v', '0');
    expect(values).toMatchObject({ 'accept-hosts': ['b', 'c'], v: 0, 'audit-log-maxage': 5 });
  });

  it('are none in an empty file', () => {
    expect(parsed(null)).toEqual(parsed({}));
  });

  it.each<[content: JsonValue, message: string]>([
    [[], 'must be a mapping of flags to values'],
    ['x', 'must be a mapping of flags to values'],
    [{ 'secure-prt': 1 }, 'unknown key "secure-prt" (did you mean secure-port?)'],
    [{ constructor: 1 }, 'unknown key "constructor"'],
    [{ config: 'x' }, 'unknown key "config" (did you mean runtime-config?)'],
    [{ help: true }, 'unknown key "help"'],
    [{ 'secure-port': true }, 'key "secure-port": must be a number or a string'],
    [{ 'secure-port': 1.5 }, 'key "secure-port": must be a number between 0 and 65535, or auto for any free port'],
    [{ 'anonymous-auth': 'true' }, 'key "anonymous-auth": must be true or false'],
    [{ 'emulated-version': 1.3 }, 'key "emulated-version": must be a string: write "1.3"'],
    [{ 'cert-dir': null }, 'key "cert-dir": must be a string'],
    [{ v: '3' }, 'key "v": must be a number'],
    [{ v: -1 }, 'key "v": must be a non-negative integer'],
    [{ 'accept-hosts': [1] }, 'key "accept-hosts": must be a string: write "1"'],
    [{ 'service-account-issuer': [] }, 'key "service-account-issuer": must have at least one item'],
    [{ 'feature-gates': ['WatchList'] }, 'key "feature-gates": must be a string'],
    [{ 'feature-gates': { Nothing: true } }, 'key "feature-gates": unrecognized feature gate: Nothing'],
    [{ dialect: 'klingon' }, 'key "dialect": must be one of orch, kubernetes'],
  ])('are refused: %j', (content, message) => {
    expect(() => valuesInFile(serveFlags, content)).toThrow(new Error(message));
  });
});

describe('serve --config', () => {
  it('takes flags from a file', async () => {
    const path = await tests.file(
      'serve.yaml',
      'secure-port: auto\nv: 3\nservice-account-issuer: https://of.the.file\n',
    );
    const server = await tests.start([`--config=${path}`, ...plain]);
    expect(server.urls).toEqual([server.http]);
    const answer = await fetch(`${server.http}/.well-known/openid-configuration`, { headers: server.authorization });
    expect(((await answer.json()) as { issuer: string }).issuer).toBe('https://of.the.file');
    expect(server.host.log().some(({ message }) => message === 'request')).toBe(true);
    await stop(server);
  });

  it.each([
    ['nothing: 1\n', 'unknown key "nothing"'],
    ['v: 1\nv: 2\n', 'strict decoding error: line 2: key "v" already set in map'],
    ['v: [\n', ''],
  ])('refuses %j', async (content, message) => {
    const path = await tests.file('serve.yaml', content);
    const { code, err } = await command(['serve', `--config=${path}`]);
    expect(code).toBe(2);
    expect(err.startsWith(`orch-apiserver: --config: ${path}: ${message}`)).toBe(true);
  });

  it('refuses a missing file', async () => {
    expect(await command(['serve', '--config=/nowhere/serve.yaml'])).toEqual({
      code: 2,
      out: '',
      err: 'orch-apiserver: --config: open /nowhere/serve.yaml: no such file or directory\n',
    });
  });

  it('has a schema, which the documentation contains', () => {
    const url = new URL('../../docs/reference/serve-config.schema.json', import.meta.url);
    const schema = fileSchema('Configuration of orch-apiserver serve', serveFlags);
    expect(JSON.parse(readFileSync(url, 'utf8'))).toEqual(schema);
    expect(schema['properties']).toMatchObject({
      'secure-port': { type: ['integer', 'string'] },
      dialect: { enum: ['orch', 'kubernetes'] },
    });
  });
});
