/** Encryption at rest by flags: serve, reload, migrate, check, backup and restore. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeBase64Text, type JsonValue } from '../../src/foundation/index.js';
import { configuration, entry, KEY_1, KEY_2, provider } from '../storage/encrypted/configurations.js';
import { asOwner, plain, ServingTests, stop, type Serving } from './serving.js';
import { command } from './stores.js';

const tests = new ServingTests();
const MARKER = encodeBase64Text('a secret that nobody may read at rest');
const PATH = '/api/v1/namespaces/default/secrets';
const oldKey = provider('aescbc', { old: KEY_1 });
const newKey = provider('aesgcm', { new: KEY_2 });
const identity = provider('identity');

const config = (...providers: readonly JsonValue[]): string =>
  JSON.stringify(configuration(entry(['secrets'], ...providers)));
const file = (name: string, ...providers: readonly JsonValue[]): Promise<string> =>
  tests.file(`${name}.json`, config(...providers));
const dataFlag = (name = 'data'): string => `--data-dir=${join(tests.directory, name)}`;
const serve = (path?: string, ...flags: readonly string[]): Promise<Serving> =>
  tests.start([
    ...plain,
    dataFlag(),
    ...(path === undefined ? [] : [`--encryption-provider-config=${path}`]),
    ...flags,
  ]);
const create = (serving: Serving): Promise<unknown> =>
  asOwner(serving, 'POST', PATH, { metadata: { name: 'a' }, data: { value: MARKER } });

interface Read {
  readonly metadata: { readonly resourceVersion: string };
  readonly data: { readonly value: string };
}
const read = (serving: Serving): Promise<Read> => asOwner<Read>(serving, 'GET', `${PATH}/a`);

const holds = (directory: string, text: string): boolean =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(text));
const atRest = (text: string): boolean => holds(join(tests.directory, 'data'), text);

describe('--encryption-provider-config', () => {
  it('keeps Secrets and signing keys encrypted, in the file, its log and its backups', async () => {
    const path = await file('old', oldKey);
    const serving = await serve(path);
    await create(serving);
    expect((await read(serving)).data.value).toBe(MARKER);
    expect(atRest(MARKER)).toBe(false);
    expect(atRest('PRIVATE KEY')).toBe(false);
    await stop(serving);
    expect(atRest(MARKER)).toBe(false);

    const backup = join(tests.directory, 'backup');
    expect(await command(['backup', dataFlag(), `--to=${backup}`])).toMatchObject({ code: 0 });
    expect(await command(['restore', dataFlag('restored'), `--from=${backup}`])).toMatchObject({ code: 0 });
    expect(holds(join(tests.directory, 'restored'), MARKER)).toBe(false);
    const restored = await tests.start([...plain, dataFlag('restored'), `--encryption-provider-config=${path}`]);
    expect((await read(restored)).data.value).toBe(MARKER);
  });

  it('refuses to serve an encrypted store without it, and says why', async () => {
    const serving = await serve(await file('old', oldKey));
    await create(serving);
    await stop(serving);
    await expect(serve()).rejects.toThrow(/unable to transform key .*--encryption-provider-config/);
    await expect(serve(await file('other', newKey))).rejects.toThrow('no matching prefix found');
  });

  it('refuses an invalid file, and a store in memory, and shows no secret', async () => {
    const invalid = await file('invalid', provider('aescbc', { one: 'Z2VoZWlt' }));
    const refused = serve(invalid);
    await expect(refused).rejects.toThrow('resources[0].providers[0].aescbc.keys[0].secret: Invalid value: "REDACTED"');
    await expect(refused).rejects.not.toThrow('Z2VoZWlt');
    const path = await file('old', oldKey);
    await expect(tests.start([...plain, '--storage=memory', `--encryption-provider-config=${path}`])).rejects.toThrow(
      'a store in memory keeps nothing at rest',
    );
    await expect(serve(undefined, '--encryption-provider-config-automatic-reload')).rejects.toThrow(
      'must be set with --encryption-provider-config',
    );
  });

  it('is reloaded, and an update without changes then writes with the new key, once', async () => {
    const path = await file('config', oldKey);
    const serving = await serve(path, '--encryption-provider-config-automatic-reload');
    await create(serving);
    const first = await read(serving);
    const put = (): Promise<Read> => asOwner<Read>(serving, 'PUT', `${PATH}/a`, { ...first, metadata: { name: 'a' } });
    expect((await put()).metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    await tests.replace(path, config(newKey, oldKey));
    await serving.host.logged('reloaded encryption config');
    const second = await put();
    expect(second.metadata.resourceVersion).not.toBe(first.metadata.resourceVersion);
    expect((await put()).metadata.resourceVersion).toBe(second.metadata.resourceVersion);
    expect(atRest('k8s:enc:aesgcm:v1:new:')).toBe(true);
  });
});

describe('migrate with --encryption-provider-config', () => {
  it('rewrites what the current key does not protect; then the old one is not needed', async () => {
    const serving = await serve();
    await create(serving);
    await stop(serving);
    expect(atRest(MARKER)).toBe(true);
    const flags = [dataFlag(), `--encryption-provider-config=${await file('first', oldKey, identity)}`];
    const { out } = await command(['migrate', '--dry-run', ...flags]);
    expect(out).toMatch(/encryption: \d+ values, [1-9]\d* to be rewritten/);
    expect((await command(['migrate', ...flags])).out).toMatch(/encryption: \d+ values, [1-9]\d* rewritten/);
    expect((await command(['migrate', ...flags])).out).toMatch(/encryption: \d+ values, 0 rewritten/);
    expect(await command(['compact', dataFlag()])).toMatchObject({ code: 0 });
    expect(atRest(MARKER)).toBe(false);

    const rotated = await file('rotated', newKey, oldKey);
    expect(await command(['migrate', dataFlag(), `--encryption-provider-config=${rotated}`])).toMatchObject({
      code: 0,
    });
    const last = await serve(await file('last', newKey));
    expect((await read(last)).data.value).toBe(MARKER);
  });
});

describe('check', () => {
  it('counts encrypted values by key, and reads them with the configuration', async () => {
    const path = await file('old', oldKey);
    const serving = await serve(path);
    await create(serving);
    await stop(serving);
    const unread = await command(['check', dataFlag()]);
    expect(unread.out).toMatch(/encrypted +\d+ values by k8s:enc:aescbc:v1:old:/);
    expect(unread.out).not.toMatch(/^Secret /m);
    expect(unread.code).toBe(0);
    const checked = await command(['check', dataFlag(), `--encryption-provider-config=${path}`]);
    expect(checked.out).toMatch(/^Secret +v1 +[1-9]/m);
    expect(checked.code).toBe(0);
    const wrong = await command(['check', dataFlag(), `--encryption-provider-config=${await file('new', newKey)}`]);
    expect(wrong.out).toContain('unable to transform key "/registry/secrets/default/a": no matching prefix found');
    expect(wrong.code).toBe(1);
  });
});
